import Formats
import Protocols

/// Several recordings at once, merged by time, each sample at its own time.
package struct ReplaySource: SampleSource {
    /// A recording that ended longer ago than this, in seconds, is moved to begin now: nobody is served by
    /// samples of another year in the middle of a live evening.
    static let stale = 86_400.0
    /// What is older than this at the first call, in seconds, was told by the process before this one.
    static let catchUp = 300.0
    /// Silence between two rounds of a loop, in ms.
    static let loopGapMs: Int64 = 1000

    private let samples: [RecordedSample]
    private let startAt: Timestamp?
    private let loop: Bool
    private var shiftMs: Int64?
    private var next = 0
    /// Samples that were too old at the start.
    private(set) package var skipped = 0

    /// - Parameters:
    ///   - recordings: those without times (plain beats) begin together with the earliest of the others.
    ///   - startAt: the moment to which the beginning is moved; nil = the recording's own time, or the present for a
    ///     recording of the past.
    ///   - from, to: only what lies in `from..<to`, in the recordings' own time.
    ///   - loop: begins again when it is over.
    package init(
        _ recordings: [Recording], startAt: Timestamp? = nil, from: Timestamp? = nil, to: Timestamp? = nil,
        loop: Bool = false
    ) {
        let origin = recordings.filter { !$0.isRelative }.compactMap { $0.samples.first?.at }.min()
        var merged: [RecordedSample] = []
        for recording in recordings {
            let shift = recording.isRelative ? origin?.milliseconds ?? 0 : 0
            merged += shift == 0 ? recording.samples : recording.samples.map { $0.shifted(byMs: shift) }
        }
        merged.removeAll { sample in
            from.map { sample.at < $0 } ?? false || to.map { sample.at >= $0 } ?? false
        }
        samples = merged.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        self.startAt = startAt
        self.loop = loop
    }

    /// True when nothing is left and it does not begin again.
    package var isOver: Bool { !loop && next == samples.count }

    /// A recording tells what it has, no more.
    package mutating func senseDensely(until end: Timestamp, at now: Timestamp) throws(Refusal) -> String {
        guard !isOver else { throw Refusal(code: "unavailable", message: "the recording is over") }
        return "replay"
    }

    package mutating func samples(until now: Timestamp) -> [RecordedSample] {
        guard let first = samples.first?.at, let last = samples.last?.at else { return [] }
        if shiftMs == nil {
            shiftMs = beginning(first, last, now)
            let oldest = now.adding(seconds: -Self.catchUp).adding(milliseconds: -(shiftMs ?? 0))
            while next < samples.count, samples[next].at < oldest {
                next += 1
                skipped += 1
            }
        }
        var shift = shiftMs ?? 0
        var due: [RecordedSample] = []
        while true {
            if next == samples.count {
                guard loop, samples.count > 1 else { break }
                next = 0
                shift += last.milliseconds - first.milliseconds + Self.loopGapMs
                shiftMs = shift
            }
            guard samples[next].at.adding(milliseconds: shift) <= now else { break }
            due.append(samples[next].shifted(byMs: shift))
            next += 1
        }
        return due
    }

    /// Milliseconds by which the recording is moved.
    private func beginning(_ first: Timestamp, _ last: Timestamp, _ now: Timestamp) -> Int64 {
        if let startAt { return startAt.milliseconds - first.milliseconds }
        guard now.seconds(since: last) > Self.stale else { return 0 }
        return now.milliseconds - first.milliseconds
    }
}
