import Foundation
import Physiology
import Protocols

/// Files of the app Health Auto Export: metrics with their points, and workouts.
///
/// Source: its documentation of the JSON format (health metrics; workouts, versions 1 and 2), as of 2026. The order of
/// keys is free, so a first pass over the file learns names and units, a second one takes the points.
struct AutoExportReader {
    /// Values of one workout or point that are kept.
    static let budget = 500_000

    /// Where the document is; it is read twice.
    enum Origin {
        case file(String)
        case memory([UInt8], name: String)

        func stream() throws(FormatError) -> ByteStream {
            switch self {
            case .file(let path): try ByteStream(path: path, limit: .max)
            case .memory(let bytes, let name): ByteStream(bytes: bytes, name: name)
            }
        }

        var name: String {
            switch self {
            case .file(let path): path
            case .memory(_, let name): name
            }
        }

        var bytes: Int {
            switch self {
            case .file(let path):
                (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
            case .memory(let bytes, _): bytes.count
            }
        }
    }

    private let origin: Origin
    private let timeZone: TimeZone
    private let clock: ProgressClock
    private var sink: HealthSink
    private var metrics: [(name: String, unit: String)] = []

    /// - Throws: ``FormatError`` for what is no such file, and what the taker throws.
    static func read(
        _ origin: Origin, timeZone: TimeZone, _ sink: HealthSink, _ clock: ProgressClock
    ) throws -> HealthTally {
        var reader = AutoExportReader(origin, timeZone: timeZone, clock: clock, sink: sink)
        do throws(FormatError) {
            try reader.learn()
        } catch {
            reader.sink.problem("\(error); what stands before was taken")
        }
        do {
            try reader.takeAll()
        } catch let error as FormatError {
            guard reader.sink.count > 0 else { throw error }
            if reader.sink.summary.problems.isEmpty { reader.sink.problem("\(error); what stands before was taken") }
        }
        return reader.sink.summary
    }

    private init(_ origin: Origin, timeZone: TimeZone, clock: ProgressClock, sink: HealthSink) {
        self.origin = origin
        self.timeZone = timeZone
        self.clock = clock
        self.sink = sink
    }

    // MARK: - Walking the document

    /// Walks to the arrays under `data` and hands each array over at its beginning.
    private static func walk(
        _ json: inout JSONPull, _ visit: (String, inout JSONPull) throws -> Void
    ) throws {
        guard try json.next() == .beginObject else { throw json.error("is not a Health Auto Export") }
        while let token = try json.next(), token != .endObject {
            guard case .key(let key) = token, let value = try json.next() else { break }
            guard key == "data", value == .beginObject else {
                try json.skip(value)
                continue
            }
            while let inner = try json.next(), inner != .endObject {
                guard case .key(let name) = inner, let value = try json.next() else { break }
                if value == .beginArray { try visit(name, &json) } else { try json.skip(value) }
            }
        }
    }

    private mutating func learn() throws(FormatError) {
        var found: [(name: String, unit: String)] = []
        var failure: FormatError?
        do {
            var json = try JSONPull(origin.stream())
            try Self.walk(&json) { name, json in
                while let token = try json.next(), token != .endArray {
                    guard name == "metrics", token == .beginObject else {
                        try json.skip(token)
                        continue
                    }
                    var metric = (name: "", unit: "")
                    defer { found.append(metric) }
                    while let inner = try json.next(), inner != .endObject {
                        guard case .key(let key) = inner, let value = try json.next() else { break }
                        switch (key, value) {
                        case ("name", .string(let text)): metric.name = text
                        case ("units", .string(let text)): metric.unit = text
                        default: try json.skip(value)
                        }
                    }
                }
            }
        } catch let error as FormatError {
            failure = error
        } catch {
            failure = FormatError(file: origin.name, cause: "cannot be read", cure: "export it again")
        }
        metrics = found
        if let failure { throw failure }
    }

    private mutating func takeAll() throws {
        let stream = try origin.stream()
        let total = origin.bytes
        var json = try JSONPull(stream)
        var index = 0
        var reader = self
        defer { self = reader }
        try Self.walk(&json) { name, json in
            while let token = try json.next(), token != .endArray {
                try reader.clock.tick(
                    HealthProgress(bytes: stream.offset, totalBytes: total, records: reader.sink.count))
                switch name {
                case "metrics" where token == .beginObject:
                    let metric = index < reader.metrics.count ? reader.metrics[index] : ("", "")
                    index += 1
                    try reader.points(of: metric, &json, stream, total)
                case "workouts" where token == .beginObject:
                    var budget = Self.budget
                    let tree = try JSONTree(
                        token, from: &json, budget: &budget, without: ["route", "heartRateRecovery"])
                    reader.sink.found("workout")
                    try reader.workout(tree)
                default:
                    reader.sink.found(name)
                    reader.sink.skip("\(name.prefix(60)): not used")
                    try json.skip(token)
                }
            }
        }
        try reader.clock.finish(
            HealthProgress(bytes: stream.offset, totalBytes: total, records: reader.sink.count))
    }

    /// The points of one metric, whose object has just begun.
    private mutating func points(
        of metric: (name: String, unit: String), _ json: inout JSONPull, _ stream: ByteStream, _ total: Int
    ) throws {
        while let inner = try json.next(), inner != .endObject {
            guard case .key(let key) = inner, let value = try json.next() else { break }
            guard key == "data", value == .beginArray else {
                try json.skip(value)
                continue
            }
            while let token = try json.next(), token != .endArray {
                try clock.tick(HealthProgress(bytes: stream.offset, totalBytes: total, records: sink.count))
                sink.found(String(metric.name.prefix(60)))
                var budget = 100
                try point(of: metric, try JSONTree(token, from: &json, budget: &budget))
            }
        }
    }

    // MARK: - Points

    private func time(_ tree: JSONTree?) -> Timestamp? {
        guard let text = tree?.string else { return nil }
        if let time = HealthTime.parse(text, defaultOffset: nil) { return time.timestamp }
        guard let civil = HealthTime.parse(text, defaultOffset: 0)?.timestamp else { return nil }
        return civil.adding(seconds: -Double(timeZone.secondsFromGMT(for: civil.date)))
    }

    private mutating func point(of metric: (name: String, unit: String), _ tree: JSONTree) throws {
        let source = tree["source"]?.string ?? "Health Auto Export"
        if metric.name == "sleep_analysis" { return try sleep(tree, source) }
        guard let role = Self.roles[metric.name] else {
            sink.skip("\(metric.name.prefix(60)): not used")
            return
        }
        guard let at = time(tree["date"]) ?? time(tree["startDate"]) else {
            sink.skip(.unreadableTime)
            return
        }
        guard sink.accepts(at, at) else { return }
        guard let factor = role.dimension.factor(metric.unit) else {
            sink.skip("unknown unit of \(metric.name)")
            return
        }
        let amount = tree["qty"]?.number ?? tree["Avg"]?.number ?? tree["avg"]?.number
        guard let value = sink.value(amount.map { $0 * factor }, in: role.range) else { return }
        switch role.use {
        case .heartRate: try sink.emit(.heartRate(HeartRateRecord(at: at, bpm: value, source: source)))
        case .resting:
            try sink.emit(.restingHeartRate(RestingRecord(at: at, createdAt: at, bpm: value, source: source)))
        case .variability:
            try sink.emit(.variability(VariabilityRecord(start: at, end: at, sdnnMs: value, source: source)))
        case .quantity(let kind):
            let end = time(tree["endDate"]) ?? at
            try sink.emit(
                .quantity(QuantityRecord(kind: kind, start: at, end: max(at, end), value: value, source: source)))
        }
    }

    private enum Use { case heartRate, resting, variability, quantity(QuantityRecord.Kind) }

    private static let roles: [String: (use: Use, dimension: HealthDimension, range: ClosedRange<Double>)] = [
        "heart_rate": (.heartRate, .rate, 20...300),
        "resting_heart_rate": (.resting, .rate, 20...200),
        "heart_rate_variability": (.variability, .milliseconds, 0...2000),
        "heart_rate_variability_sdnn": (.variability, .milliseconds, 0...2000),
        "step_count": (.quantity(.steps), .count, 0...200_000),
        "active_energy": (.quantity(.activeEnergy), .energy, 0...50_000),
        "basal_energy_burned": (.quantity(.basalEnergy), .energy, 0...50_000),
        "resting_energy": (.quantity(.basalEnergy), .energy, 0...50_000),
        "walking_running_distance": (.quantity(.distance), .length, 0...2_000_000),
        "cycling_distance": (.quantity(.distance), .length, 0...2_000_000),
        "swimming_distance": (.quantity(.distance), .length, 0...2_000_000),
        "weight_body_mass": (.quantity(.bodyMass), .mass, 1...700),
        "body_mass": (.quantity(.bodyMass), .mass, 1...700),
        "height": (.quantity(.height), .height, 20...280),
        "vo2_max": (.quantity(.vo2max), .oxygen, 5...120),
    ]

    private static let stages: [String: SleepSegment.Stage] = [
        "awake": .awake, "asleep": .asleep, "in bed": .inBed, "inbed": .inBed, "core": .core, "deep": .deep,
        "rem": .rem, "unspecified": .asleep, "light": .core,
    ]

    /// A segment, or a summed night: of this only its beginning and end are of use, its stages have no times.
    private mutating func sleep(_ tree: JSONTree, _ source: String) throws {
        let isWatch = source.contains("Watch")
        if let start = time(tree["startDate"]), let end = time(tree["endDate"]) {
            guard let stage = tree["value"]?.string.flatMap({ Self.stages[$0.lowercased()] }) else {
                sink.skip("unknown stage of sleep")
                return
            }
            guard sink.accepts(start, end) else { return }
            return try sink.emit(
                .sleep(SleepSegment(start: start, end: end, stage: stage, source: source, isWatch: isWatch)))
        }
        guard let start = time(tree["sleepStart"]), let end = time(tree["sleepEnd"]) else {
            sink.skip("night without its times")
            return
        }
        guard sink.accepts(start, end) else { return }
        try sink.emit(.sleep(SleepSegment(start: start, end: end, stage: .asleep, source: source, isWatch: isWatch)))
        if let start = time(tree["inBedStart"]), let end = time(tree["inBedEnd"]), start < end, !sink.isFuture(end) {
            try sink.emit(.sleep(SleepSegment(start: start, end: end, stage: .inBed, source: source)))
        }
        if tree["deep"] != nil || tree["rem"] != nil { sink.skip("stages of a summed night: they have no times") }
    }

    // MARK: - Workouts

    /// `{"qty": 3.5, "units": "mi"}`, or its sum when it is a list of such.
    private static func amount(_ tree: JSONTree?, _ dimension: HealthDimension) -> Double? {
        guard let tree else { return nil }
        if case .array(let parts) = tree {
            let values = parts.compactMap { amount($0, dimension) }
            return values.isEmpty ? nil : values.reduce(0, +)
        }
        guard let number = tree["qty"]?.number, number >= 0, let unit = tree["units"]?.string,
            let factor = dimension.factor(unit)
        else { return nil }
        return number * factor
    }

    private mutating func workout(_ tree: JSONTree) throws {
        guard let start = time(tree["start"]), let end = time(tree["end"]) else {
            sink.skip(.unreadableTime)
            return
        }
        guard sink.accepts(start, end) else { return }
        let elapsed = end.seconds(since: start)
        // Seconds in version 2, minutes in old files: the one that fits into the times.
        let told = tree["duration"]?.number ?? Self.amount(tree["duration"], .seconds)
        let moving = told.flatMap { $0 > 0 && $0 <= elapsed + 1 ? $0 : nil } ?? elapsed
        guard moving > 0, moving <= 14 * 86_400 else {
            sink.skip(.outOfRange)
            return
        }
        func rate(_ trees: JSONTree?...) -> Double? {
            trees.lazy.compactMap { $0?["qty"]?.number ?? $0?.number }.first { (20...300).contains($0) }
        }
        let heart = tree["heartRateData"]?.elements ?? []
        var samples: [WorkoutSample] = heart.compactMap { point in
            guard let at = time(point["date"]), let bpm = point["Avg"]?.number ?? point["qty"]?.number,
                (20...300).contains(bpm)
            else { return nil }
            return WorkoutSample(at: at, bpm: bpm)
        }
        samples.sort { $0.at < $1.at }
        let name = tree["name"]?.string ?? ""
        try sink.emit(
            .workout(
                WorkoutRecord(
                    start: start, end: end, sport: Sport(named: name), movingSeconds: moving,
                    distanceM: Self.amount(tree["distance"], .length),
                    energyKcal: Self.amount(tree["activeEnergyBurned"], .energy)
                        ?? Self.amount(tree["activeEnergy"], .energy),
                    meanBpm: rate(tree["avgHeartRate"], tree["heartRate"]?["avg"]),
                    maximumBpm: rate(tree["maxHeartRate"], tree["heartRate"]?["max"]),
                    ascentM: Self.amount(tree["elevationUp"], .length), title: name.isEmpty ? nil : name,
                    source: "Health Auto Export", samples: samples)))
    }
}
