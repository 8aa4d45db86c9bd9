import Foundation
import Physiology
import Protocols

/// What a reader of a track file is told: elements with their attributes, then their own text.
protocol TrackReader {
    var sink: HealthSink { get set }
    /// True once the root element of the format was seen.
    var hasRoot: Bool { get }
    mutating func begin(_ name: String, _ tag: RawTag) throws
    mutating func end(_ name: String, text: String) throws
}

/// Reads TCX and GPX, which are XML with text in elements.
struct TrainingXML<Reader: TrackReader>: TagHandler {
    static var wantsText: Bool { true }
    /// A day at ten points a second; the rest is left out.
    static var mostSamples: Int { 1_000_000 }

    private var reader: Reader
    private var text = ""
    private let onPause: (Int, Int) throws -> Void

    private init(_ reader: Reader, onPause: @escaping (Int, Int) throws -> Void) {
        self.reader = reader
        self.onPause = onPause
    }

    /// - Throws: ``FormatError`` for what is no such file, and what the taker throws.
    static func read(_ feed: any ByteFeed, _ reader: Reader, _ clock: ProgressClock) throws -> HealthTally {
        let total = feed.totalBytes
        var handler = TrainingXML(reader) { bytes, records in
            try clock.tick(HealthProgress(bytes: bytes, totalBytes: total, records: records))
        }
        let outcome = try TagScanner(feed).run(&handler)
        guard handler.reader.hasRoot else {
            throw FormatError(file: feed.name, cause: "holds no track", cure: "give a TCX or GPX file")
        }
        if outcome.damagedTags > 0 {
            handler.reader.sink.problem(
                "\(feed.name), byte \(outcome.firstDamage ?? 0): \(outcome.damagedTags) tags are damaged; they were passed over"
            )
        }
        if outcome.isCutOff {
            handler.reader.sink.problem("\(feed.name), byte \(outcome.bytes): ends too early, it is cut off")
        }
        let summary = handler.reader.sink.summary
        try clock.finish(
            HealthProgress(
                bytes: outcome.bytes, totalBytes: total, records: summary.taken.values.reduce(0, +)))
        return summary
    }

    mutating func open(_ tag: RawTag) throws {
        text = ""
        let name = tag.name.local.text
        try reader.begin(name, tag)
        if tag.isEmpty { try reader.end(name, text: "") }
    }

    mutating func close(_ name: RawText) throws {
        try reader.end(name.local.text, text: text.trimmed)
        text = ""
    }

    mutating func text(_ piece: RawText) throws {
        if text.utf8.count < 4096 { text += RawText(start: piece.start, count: min(piece.count, 4096)).text }
    }

    mutating func pause(at byte: Int) throws { try onPause(byte, reader.sink.count) }
}

/// Garmin's Training Center Database: activities, laps and track points, with the extensions for power and speed.
struct TCXReader: TrackReader {
    var sink: HealthSink
    private(set) var hasRoot = false
    private var path: [String] = []
    private var sport = ""
    private var creator = ""
    private var start: Timestamp?
    private var samples: [WorkoutSample] = []
    private var sample: WorkoutSample?
    private var lap = Lap()
    private var laps: [Lap] = []

    private struct Lap {
        var seconds: Double?
        var metres: Double?
        var kcal: Double?
        var meanBpm: Double?
        var maximumBpm: Double?
    }

    init(_ sink: HealthSink) { self.sink = sink }

    mutating func begin(_ name: String, _ tag: RawTag) throws {
        path.append(name)
        if path.count > 64 { path.removeFirst() }
        switch name {
        case "TrainingCenterDatabase": hasRoot = true
        case "Activity":
            sport = tag["Sport"]?.text ?? ""
            (creator, start, samples, laps) = ("", nil, [], [])
        case "Lap":
            lap = Lap()
            let text = tag["StartTime"]?.text
            start = start ?? text.flatMap { HealthTime.parse($0, defaultOffset: 0)?.timestamp }
        case "Trackpoint": sample = WorkoutSample(at: Timestamp(milliseconds: -1))
        default: break
        }
    }

    mutating func end(_ name: String, text: String) throws {
        let parent = path.dropLast().last ?? ""
        if path.last == name { path.removeLast() }
        let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
        switch (name, parent) {
        case ("Time", "Trackpoint"):
            if let time = HealthTime.parse(text, defaultOffset: 0) { sample?.at = time.timestamp }
        case ("AltitudeMeters", "Trackpoint"): sample?.altitudeM = number
        case ("DistanceMeters", "Trackpoint"): sample?.distanceM = number
        case ("Value", "HeartRateBpm"): sample?.bpm = number.flatMap { (20...300).contains($0) ? $0 : nil }
        case ("Cadence", "Trackpoint"), ("RunCadence", _): sample?.cadence = number
        case ("Watts", _): sample?.powerW = number
        case ("Speed", _): sample?.speedMps = number
        case ("TotalTimeSeconds", "Lap"): lap.seconds = number
        case ("DistanceMeters", "Lap"): lap.metres = number
        case ("Calories", "Lap"): lap.kcal = number
        case ("Value", "AverageHeartRateBpm"): lap.meanBpm = number
        case ("Value", "MaximumHeartRateBpm"): lap.maximumBpm = number
        case ("Name", "Creator"): creator = text
        case ("Trackpoint", _): endPoint()
        case ("Lap", _): laps.append(lap)
        case ("Activity", _): try endActivity()
        default: break
        }
    }

    private mutating func endPoint() {
        sink.found("Trackpoint")
        guard let point = sample, point.at.milliseconds >= 0 else {
            sink.skip(.unreadableTime)
            return
        }
        guard samples.count < TrainingXML<Self>.mostSamples else {
            sink.skip("more points than a day has")
            return
        }
        samples.append(point)
        sample = nil
    }

    private mutating func endActivity() throws {
        sink.found("Activity")
        defer { samples = [] }
        samples.sort { $0.at < $1.at }
        guard let begin = start ?? samples.first?.at else {
            sink.skip(.unreadableTime)
            return
        }
        let timed = laps.compactMap(\.seconds).reduce(0, +)
        let end = max(samples.last?.at ?? begin, begin)
        let last = end > begin ? end : begin.adding(seconds: timed)
        guard sink.accepts(begin, last) else { return }
        let seconds = timed > 0 ? timed : last.seconds(since: begin)
        guard seconds > 0, seconds <= 14 * 86_400 else {
            sink.skip(.outOfRange)
            return
        }
        let hearts = samples.compactMap(\.bpm)
        let metres = laps.compactMap(\.metres)
        let kcal = laps.compactMap(\.kcal)
        try sink.emit(
            .workout(
                WorkoutRecord(
                    start: begin, end: last, sport: Sport(named: sport), movingSeconds: seconds,
                    distanceM: metres.isEmpty ? samples.last { $0.distanceM != nil }?.distanceM : metres.reduce(0, +),
                    energyKcal: kcal.isEmpty ? nil : kcal.reduce(0, +),
                    meanBpm: mean(of: hearts) ?? laps.first?.meanBpm,
                    maximumBpm: hearts.max() ?? laps.compactMap(\.maximumBpm).max(),
                    meanPowerW: mean(of: samples.compactMap(\.powerW)), title: sport.isEmpty ? nil : sport,
                    source: creator.isEmpty ? "TCX" : creator, samples: samples)))
    }
}

/// GPS Exchange: a track is a workout; heart rate, cadence and power come in extensions of Garmin, Strava and others.
struct GPXReader: TrackReader {
    var sink: HealthSink
    private(set) var hasRoot = false
    private var creator = ""
    private var name = ""
    private var type = ""
    private var isInTrack = false
    private var samples: [WorkoutSample] = []
    private var sample: WorkoutSample?
    private var place: (latitude: Double, longitude: Double)?
    private var lastPlace: (latitude: Double, longitude: Double)?
    private var lastTime: Timestamp?
    private var distance = 0.0
    private var moving = 0.0
    private var ascent = 0.0
    private var lastAltitude: Double?
    /// Seconds between points above which the recording stood still.
    private static let longestStep = 30.0

    init(_ sink: HealthSink) { self.sink = sink }

    mutating func begin(_ name: String, _ tag: RawTag) throws {
        switch name {
        case "gpx":
            hasRoot = true
            creator = tag["creator"]?.text ?? ""
        case "trk":
            isInTrack = true
            (self.name, type, samples, distance, moving, ascent) = ("", "", [], 0, 0, 0)
            (lastPlace, lastTime, lastAltitude) = (nil, nil, nil)
        case "trkseg": (lastPlace, lastTime) = (nil, nil)
        case "trkpt":
            sample = WorkoutSample(at: Timestamp(milliseconds: -1))
            if let latitude = tag["lat"]?.number, let longitude = tag["lon"]?.number, abs(latitude) <= 90,
                abs(longitude) <= 180
            {
                place = (latitude, longitude)
            } else {
                place = nil
            }
        default: break
        }
    }

    mutating func end(_ name: String, text: String) throws {
        let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
        switch name {
        case "time": if let time = HealthTime.parse(text, defaultOffset: 0) { sample?.at = time.timestamp }
        case "ele": sample?.altitudeM = number
        case "hr", "heartrate": sample?.bpm = number.flatMap { (20...300).contains($0) ? $0 : nil }
        case "cad", "cadence": sample?.cadence = number
        case "power", "PowerInWatts": sample?.powerW = number
        case "speed": sample?.speedMps = number
        case "name": if isInTrack, sample == nil { self.name = text }
        case "type": if isInTrack, sample == nil { type = text }
        case "trkpt": endPoint()
        case "trk": try endTrack()
        default: break
        }
    }

    private mutating func endPoint() {
        sink.found("trkpt")
        defer { sample = nil }
        guard var point = sample, point.at.milliseconds >= 0 else {
            sink.skip(.unreadableTime)
            return
        }
        guard samples.count < TrainingXML<Self>.mostSamples else {
            sink.skip("more points than a day has")
            return
        }
        if let place {
            if let lastPlace { distance += Self.metres(lastPlace, place) }
            lastPlace = place
            point.distanceM = distance
        }
        if let lastTime {
            let step = point.at.seconds(since: lastTime)
            if step > 0, step <= Self.longestStep { moving += step }
        }
        lastTime = point.at
        if let altitude = point.altitudeM {
            if let lastAltitude, altitude > lastAltitude { ascent += altitude - lastAltitude }
            lastAltitude = altitude
        }
        samples.append(point)
    }

    private mutating func endTrack() throws {
        sink.found("trk")
        isInTrack = false
        defer { samples = [] }
        samples.sort { $0.at < $1.at }
        guard let first = samples.first, let last = samples.last, sink.accepts(first.at, last.at) else { return }
        guard moving > 0 else {
            sink.skip(.outOfRange)
            return
        }
        let sport = Sport(named: type)
        let hearts = samples.compactMap(\.bpm)
        try sink.emit(
            .workout(
                WorkoutRecord(
                    start: first.at, end: last.at, sport: sport == .other ? Sport(named: name) : sport,
                    movingSeconds: moving, distanceM: distance > 0 ? distance : nil, meanBpm: mean(of: hearts),
                    maximumBpm: hearts.max(), meanPowerW: mean(of: samples.compactMap(\.powerW)),
                    ascentM: lastAltitude == nil ? nil : ascent, title: name.isEmpty ? nil : name,
                    source: creator.isEmpty ? "GPX" : creator, samples: samples)))
    }

    /// Great-circle distance by the haversine formula on a sphere of 6,371,008.8 m (IUGG mean radius).
    private static func metres(
        _ a: (latitude: Double, longitude: Double), _ b: (latitude: Double, longitude: Double)
    ) -> Double {
        let radians = Double.pi / 180
        let (north, east) = ((b.latitude - a.latitude) * radians / 2, (b.longitude - a.longitude) * radians / 2)
        let h =
            sin(north) * sin(north) + cos(a.latitude * radians) * cos(b.latitude * radians) * sin(east) * sin(east)
        return 2 * 6_371_008.8 * asin(min(1, h.squareRoot()))
    }
}
