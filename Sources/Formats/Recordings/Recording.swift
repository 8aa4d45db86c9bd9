import Physiology
import Protocols

/// What a sensor or its wearer left in one file, ready to be told again.
package struct Recording: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case heartRate, rr, motion, workouts, moods, fit
    }

    /// The largest text file that is read.
    package static let largest = 64 << 20
    static let longestLine = 4096

    package var name: String
    package var kind: Kind
    /// In order of time; samples of the same time in the order of the file.
    package var samples: [RecordedSample]
    /// True when the file holds no times (beats one after the other): `samples` then begin at Unix time 0.
    package var isRelative: Bool
    /// Rows whose value no body has (a heart rate of 0 is "no contact"); they are left out.
    package var leftOut: Int

    /// Reads a file of any of the kinds; its content says which.
    ///
    /// - FIT activity: heart rate of `record`, beats of `hrv`, a workout for every `session`.
    /// - CSV `time,bpm`, also without a header.
    /// - CSV `time,activity,intensity,steps`, optionally `cadence`.
    /// - CSV `start,end,sport`, optionally `energyKcal`.
    /// - CSV `time,mood,energy` (1…5 each).
    /// - Text of beat-to-beat intervals in every layout of ``RRSeries``.
    /// - Throws: ``FormatError`` with file and place.
    package init(path: String) throws(FormatError) {
        let bytes = try ByteStream(path: path, limit: Self.largest).next() ?? []
        guard !bytes.isEmpty else {
            throw FormatError(file: path, cause: "is empty", cure: "give a recording")
        }
        if bytes.count >= 12, bytes[8..<12].elementsEqual(".FIT".utf8) {
            self.init(try FITFile(path: path), name: path)
        } else {
            try self.init { () throws(FormatError) in try ByteStream(path: path, limit: Self.largest) }
        }
        guard !samples.isEmpty else {
            throw FormatError(
                file: path, cause: "holds no samples that could be replayed", cure: "check that it is the right file")
        }
    }

    init(name: String, kind: Kind, samples: [RecordedSample], isRelative: Bool = false, leftOut: Int = 0) {
        self.name = name
        self.kind = kind
        // Swift's sort is stable in practice but does not promise it, hence the index.
        self.samples = samples.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        self.isRelative = isRelative
        self.leftOut = leftOut
    }
}

extension Recording {
    /// Beats further than this from their clock, in ms, are set by the clock again: beats were lost in between.
    private static let tolerableDriftMs: Int64 = 10_000

    /// Heart rate, beats and workouts of an activity.
    init(_ file: FITFile, name: String) {
        var samples: [RecordedSample] = file.heartRates.filter { (20...300).contains($0.bpm) }
            .map { .heartRate(HeartRate(at: $0.at, bpm: $0.bpm, source: "replay")) }
        var cursor: Timestamp?
        for beat in file.beats where !beat.rrMs.isEmpty {
            var start = cursor ?? beat.after ?? file.heartRates.first?.at
            var gap = false
            if let clock = beat.after, let running = start,
                abs(clock.milliseconds - running.milliseconds) > Self.tolerableDriftMs
            {
                start = clock
                gap = true
            }
            guard let start else { continue }
            samples.append(.rr(RRIntervals(startAt: start, rrMs: beat.rrMs, gapBefore: gap, source: "replay")))
            cursor = start.adding(milliseconds: Int64(beat.rrMs.reduce(0, +)))
        }
        for session in file.messages(named: "session") {
            guard let start = session["start_time"]?.timestamp,
                let seconds = session["total_elapsed_time"]?.double ?? session["total_timer_time"]?.double, seconds > 0
            else { continue }
            let sport = session["sport"]?.description ?? "generic"
            samples.append(.workout(Workout(phase: .started, sport: sport, at: start)))
            samples.append(
                .workout(
                    Workout(
                        phase: .ended, sport: sport, energyKcal: session["total_calories"]?.double,
                        at: start.adding(seconds: seconds))))
        }
        self.init(name: name, kind: .fit, samples: samples)
    }
}

extension Recording {
    /// The longest stretch of beats in one message, in ms; a single longer interval stands alone.
    private static let longestGroupMs = 2000.0

    /// Beats in messages of at most 2 s.
    init(_ series: RRSeries, name: String) {
        let gaps = Set(series.beats.gapsBefore)
        let origin = Double(series.startAt?.milliseconds ?? 0)
        var samples: [RecordedSample] = []
        var group: [Double] = []
        var (groupStart, gapBefore, cursor) = (origin, false, origin)
        func flush() {
            guard !group.isEmpty else { return }
            let start = Timestamp(milliseconds: Int64(groupStart.rounded()))
            samples.append(.rr(RRIntervals(startAt: start, rrMs: group, gapBefore: gapBefore, source: "replay")))
            group = []
            gapBefore = false
        }
        for (index, interval) in series.beats.rrMs.enumerated() {
            let isGap = gaps.contains(index)
            if isGap || group.reduce(interval, +) > Self.longestGroupMs { flush() }
            if isGap {
                gapBefore = true
                if let ends = series.endSeconds, index < ends.count {
                    cursor = max(cursor, origin + ends[index] * 1000 - interval)
                }
            }
            if group.isEmpty { groupStart = cursor }
            group.append(interval)
            cursor += interval
        }
        flush()
        self.init(name: name, kind: .rr, samples: samples, isRelative: series.startAt == nil)
    }
}

extension Recording {
    /// A moment as recordings and options write it: RFC 3339, or Unix time in seconds or milliseconds.
    package static func time(_ text: String) -> Timestamp? { RecordingTime.parse(text) }
}
