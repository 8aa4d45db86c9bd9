import Foundation
import Physiology
import Protocols

/// What a FIT file says about the body: workouts with samples, beats, the days of a watch.
enum FITHealth {
    /// - Throws: ``FormatError`` for a file of which nothing can be read.
    static func read(path: String, _ sink: HealthSink, _ clock: ProgressClock) throws -> HealthTally {
        let bytes = try ByteStream(path: path, limit: FITFile.largest).rest()
        let tally = try read(bytes, name: path, sink)
        try clock.finish(
            HealthProgress(bytes: bytes.count, totalBytes: bytes.count, records: tally.taken.values.reduce(0, +)))
        return tally
    }

    /// - Throws: ``FormatError`` for bytes of which nothing can be read, and what the taker throws.
    static func read(_ bytes: [UInt8], name: String, _ sink: HealthSink) throws -> HealthTally {
        let file = FITFile(reading: bytes, name: name)
        var sink = sink
        if let damage = file.damage {
            guard !file.messages.isEmpty else { throw damage }
            sink.problem("\(damage); what stands before was taken")
        }
        for (name, count) in file.counts { sink.found(name, count) }
        let source = file.source
        let workouts = file.workouts(source: source)
        for workout in workouts where sink.accepts(workout.start, workout.end) { try sink.emit(.workout(workout)) }
        if let beats = file.beatRecord(source: source), sink.accepts(beats.start, beats.end) {
            try sink.emit(.variability(beats))
        }
        var monitoring = FITMonitoring(source: source)
        for message in file.messages { try monitoring.take(message, into: &sink) }
        let used: Set<String> = [
            "record", "session", "hrv", "file_id", "monitoring", "monitoring_info", "sleep_level", "hrv_status_summary",
            "monitoring_hr_data", "length", "user_profile",
        ]
        for (name, count) in file.counts where !used.contains(name) { sink.skip("\(name) message: not used", count) }
        if workouts.isEmpty, let number = file.counts["record"] { sink.skip("record without a time", number) }
        for profile in file.messages(named: "user_profile") {
            if let sex = profile["gender"]?.text, sex == "male" || sex == "female" {
                try sink.emit(.person(PersonRecord(sex: sex)))
            }
        }
        return sink.summary
    }
}

extension FITFile {
    /// Maker and product, as far as the file names them.
    var source: String {
        let identity = messages.first { $0.number == 0 }
        let parts = [
            identity?["manufacturer"]?.description,
            identity?["product_name"]?.text ?? identity?["product"]?.description,
        ]
        let text = parts.compactMap(\.self).joined(separator: " ")
        return text.isEmpty ? "FIT" : text
    }

    /// The moments of the `record` messages that have a time, in their order.
    private var workoutSamples: [WorkoutSample] {
        messages.compactMap { message in
            guard message.number == 20, let at = message.timestamp else { return nil }
            func number(_ names: String...) -> Double? {
                names.lazy.compactMap { message[$0]?.double }.first
            }
            return WorkoutSample(
                at: at, bpm: number("heart_rate").flatMap { $0 > 0 ? $0 : nil }, powerW: number("power", "Power"),
                speedMps: number("enhanced_speed", "speed"), altitudeM: number("enhanced_altitude", "altitude"),
                distanceM: number("distance"), cadence: number("cadence"))
        }
    }

    /// One workout for every `session`; one of all records when the device died before it wrote a session.
    func workouts(source: String) -> [WorkoutRecord] {
        let samples = workoutSamples.sorted { $0.at < $1.at }
        let sessions = messages(named: "session").compactMap { session -> (FITMessage, Timestamp, Timestamp)? in
            guard let start = session["start_time"]?.timestamp,
                let seconds = session["total_elapsed_time"]?.double ?? session["total_timer_time"]?.double,
                (0...14 * 86_400).contains(seconds)
            else { return nil }
            return (session, start, start.adding(seconds: seconds))
        }
        guard !sessions.isEmpty else { return unfinished(samples, source).map { [$0] } ?? [] }
        var seen = Set<Timestamp>()
        return sessions.sorted { $0.1 < $1.1 }.enumerated().compactMap { index, entry in
            let (session, start, told) = entry
            guard seen.insert(start).inserted else { return nil }
            let next = sessions.map(\.1).filter { $0 > start }.min()
            // A virtual ride may have a timer, and records, that go on behind its elapsed time.
            let timed = start.adding(seconds: min(max(session["total_timer_time"]?.double ?? 0, 0), 14 * 86_400))
            let last = samples.last { sample in sample.at >= start && next.map { sample.at < $0 } ?? true }?.at
            let end = max(told, min(timed, last ?? told))
            var own = samples.filter { sample in
                sample.at >= start && sample.at.seconds(since: end) <= 1 && next.map { sample.at < $0 } ?? true
            }
            if index > 0, let base = own.first(where: { $0.distanceM != nil })?.distanceM, base > 0 {
                for sample in own.indices { own[sample].distanceM = own[sample].distanceM.map { max(0, $0 - base) } }
            }
            return workout(session, start, end, own, source)
        }
    }

    private func workout(
        _ session: FITMessage, _ start: Timestamp, _ end: Timestamp, _ samples: [WorkoutSample], _ source: String
    ) -> WorkoutRecord {
        func number(_ name: String) -> Double? { session[name]?.double }
        let (main, sub) = (session["sport"]?.description ?? "generic", session["sub_sport"]?.description ?? "generic")
        var sport = Sport(named: main)
        if sport == .other { sport = Sport(named: sub) }
        let parts = [main, sub].filter { $0 != "generic" }
        let lengths = sport == .swimming ? swumLengths(start, end) : []
        let elapsed = end.seconds(since: start)
        // A clock that ran longer than the session has no meaning.
        let isPossible = { (seconds: Double) in seconds > 0 && seconds <= elapsed + 1 }
        let timer = number("total_timer_time").flatMap { isPossible($0) ? $0 : nil } ?? elapsed
        let swum = lengths.reduce(0) { $0 + $1.seconds }
        var samples = samples
        if !lengths.isEmpty, !samples.contains(where: { $0.speedMps != nil }) {
            samples = Self.samples(of: lengths, total: number("total_distance"), beside: samples)
        }
        return WorkoutRecord(
            start: start, end: end, sport: sport, movingSeconds: isPossible(swum) ? swum : timer,
            distanceM: number("total_distance"), energyKcal: number("total_calories"),
            meanBpm: number("avg_heart_rate"), maximumBpm: number("max_heart_rate"), meanPowerW: number("avg_power"),
            ascentM: number("total_ascent"), deviceLoad: number("training_stress_score"),
            title: parts.isEmpty ? nil : parts.joined(separator: ", "), source: source, samples: samples)
    }

    private func unfinished(_ samples: [WorkoutSample], _ source: String) -> WorkoutRecord? {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
        let steps = zip(samples, samples.dropFirst()).map { $1.at.seconds(since: $0.at) }
        let heart = samples.compactMap(\.bpm)
        let power = samples.compactMap(\.powerW)
        return WorkoutRecord(
            start: first.at, end: last.at, sport: .other,
            movingSeconds: steps.reduce(0) { $0 + ($1 <= Self.longestStep ? $1 : 0) },
            distanceM: samples.last { $0.distanceM != nil }?.distanceM,
            meanBpm: mean(of: heart), maximumBpm: heart.max(), meanPowerW: mean(of: power), source: source,
            samples: samples)
    }

    /// Seconds between records above which the clock stood still; smart recording writes a record every few seconds.
    private static let longestStep = 30.0

    /// Lengths of a pool that were swum, not rested, in this time.
    private func swumLengths(_ start: Timestamp, _ end: Timestamp) -> [(
        start: Timestamp, seconds: Double, speed: Double?
    )] {
        messages.compactMap { message in
            guard message.number == 101, let at = message["start_time"]?.timestamp, at >= start, at <= end,
                message["length_type"]?.integer == 1,
                let seconds = message["total_timer_time"]?.double ?? message["total_elapsed_time"]?.double, seconds > 0
            else { return nil }
            return (at, seconds, message["avg_speed"]?.double)
        }
    }

    /// A pool swim has no speed at its records: one sample for every length, at its end, with the heart rate of then.
    private static func samples(
        of lengths: [(start: Timestamp, seconds: Double, speed: Double?)], total: Double?,
        beside records: [WorkoutSample]
    ) -> [WorkoutSample] {
        let each = total.map { $0 / Double(lengths.count) }
        let swum = lengths.enumerated().map { index, length in
            WorkoutSample(
                at: length.start.adding(seconds: length.seconds),
                speedMps: length.speed ?? each.map { $0 / length.seconds },
                distanceM: each.map { $0 * Double(index + 1) })
        }
        return (records + swum).sorted { $0.at < $1.at }
    }

    /// All beats of the `hrv` messages as one reading; nil when there are none or no time is known.
    func beatRecord(source: String) -> VariabilityRecord? {
        var cursor: Timestamp?
        var beats: [VariabilityRecord.Beat] = []
        var intervals: [Double] = []
        var gaps: [Int] = []
        for group in self.beats where !group.rrMs.isEmpty {
            guard var at = cursor ?? group.after else { continue }
            // Beats were lost where the clock of the records is far from that of the beats.
            if let clock = group.after, abs(clock.seconds(since: at)) > 10 {
                at = clock
                gaps.append(intervals.count)
            }
            for interval in group.rrMs {
                at = at.adding(milliseconds: Int64(interval))
                intervals.append(interval)
                if interval >= 200, interval <= 3000 { beats.append(.init(at: at, bpm: 60_000 / interval)) }
            }
            cursor = at
        }
        guard let first = beats.first, let last = beats.last, beats.count > 1 else { return nil }
        let domain = TimeDomain(
            of: BeatSeries(rrMs: intervals.map { (200...3000).contains($0) ? $0 : .nan }, gapsBefore: gaps))
        return VariabilityRecord(
            start: first.at, end: last.at, kind: .activity, rebuiltSdnnMs: domain.sdnnMs,
            rebuiltRmssdMs: domain.rmssdMs, beats: beats, bpm: domain.meanNnMs.map { 60_000 / $0 }, source: source)
    }
}
