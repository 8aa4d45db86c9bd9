import Foundation
import Protocols

/// A stretch of sleep without an hour's pause, as the chosen sources saw it.
package struct SleepBlock: Hashable, Codable, Sendable {
    /// From the first to the last stage, lying awake that adjoins included.
    package var start: Timestamp
    package var end: Timestamp
    /// Seconds asleep; a moment that two sources tell counts once.
    package var asleepSeconds: Double
    /// Seconds by stage between start and end; ``SleepSegment/Stage/inBed`` is not among them.
    package var stageSeconds: [SleepSegment.Stage: Double]
    /// Names of the sources that it is made of, sorted.
    package var sources: [String]

    package init(
        start: Timestamp, end: Timestamp, asleepSeconds: Double, stageSeconds: [SleepSegment.Stage: Double],
        sources: [String]
    ) {
        self.start = start
        self.end = end
        self.asleepSeconds = asleepSeconds
        self.stageSeconds = stageSeconds
        self.sources = sources
    }
}

/// The sleep of a local day: the longest block is the main sleep, what is left are naps and broken pieces.
package struct SleepNight: Hashable, Codable, Sendable {
    /// Number of the local day on which the main sleep ends, see ``LocalClock/day(of:)``.
    package var day: Int
    /// IANA name of the zone in which that day was counted.
    package var timeZone: String
    package var main: SleepBlock
    /// In the order of time.
    package var others: [SleepBlock]
    /// Seconds in bed around the main sleep; nil when no source tells.
    package var inBedSeconds: Double?
    /// First and last moment of that.
    package var inBedStart: Timestamp?
    package var inBedEnd: Timestamp?

    package init(
        day: Int, timeZone: String, main: SleepBlock, others: [SleepBlock] = [], inBedSeconds: Double? = nil,
        inBedStart: Timestamp? = nil, inBedEnd: Timestamp? = nil
    ) {
        self.day = day
        self.timeZone = timeZone
        self.main = main
        self.others = others
        self.inBedSeconds = inBedSeconds
        self.inBedStart = inBedStart
        self.inBedEnd = inBedEnd
    }
}

/// Makes nights of the segments of all sources.
///
/// Since iOS 16 a night is dozens of stages of at most some 40 min, told by the watch, and beside it what phones and apps
/// think. The rule: asleep segments of one source with less than an hour between them are one block; the watch is
/// preferred, a block of another source counts only where the watch slept less than half of it; the union of what is
/// left, again with less than an hour between, are the blocks of sleep; the longest that ends on a local day is the main
/// sleep of that day. Awake segments of the chosen sources lie inside a block or adjoin it. The result does not depend on the order of the segments.
package enum SleepNights {
    /// Seconds awake that end a block.
    package static let longestPause = 3600.0
    /// A longer segment is no sleep.
    package static let longestSegment = 24.0 * 3600

    /// - Parameters:
    ///   - segments: in any order; overlapping and repeated ones count once.
    ///   - timeZone: for segments that carry no zone of their own.
    /// - Returns: one night for every local day on which a sleep ended, in order.
    package static func nights(from segments: [SleepSegment], timeZone: TimeZone) -> [SleepNight] {
        let sound = Set(segments.filter { (0.001...longestSegment).contains($0.end.seconds(since: $0.start)) })
            .sorted { order($0) < order($1) }
        let chosen = chooseSources(sound.filter(\.stage.isAsleep))
        let awake = sound.filter { $0.stage == .awake }
        let inBed = merge(sound.filter { $0.stage == .inBed })
        var zones: [String: TimeZone] = [:]
        var byDay: [Int: [(block: SleepBlock, zone: TimeZone)]] = [:]
        var firstAwake = 0
        for run in merge(chosen) {
            while firstAwake < awake.count, awake[firstAwake].start.adding(seconds: longestSegment) < run[0].start {
                firstAwake += 1
            }
            let block = block(of: run, awake: awake[firstAwake...])
            let name = run.last { $0.timeZone != nil }?.timeZone
            let zone = name.flatMap { name in
                zones[name]
                    ?? TimeZone(identifier: name).map { found in
                        zones[name] = found
                        return found
                    }
            }
            let day = LocalClock(timeZone: zone ?? timeZone).day(of: block.end)
            byDay[day, default: []].append((block, zone ?? timeZone))
        }
        return byDay.sorted { $0.key < $1.key }.compactMap { day, blocks in night(day, blocks, inBed) }
    }

    private static func night(
        _ day: Int, _ blocks: [(block: SleepBlock, zone: TimeZone)], _ inBed: [[SleepSegment]]
    ) -> SleepNight? {
        guard
            let main = blocks.indices.max(by: {
                (blocks[$0].block.asleepSeconds, $1) < (blocks[$1].block.asleepSeconds, $0)
            })
        else { return nil }
        var night = SleepNight(
            day: day, timeZone: blocks[main].zone.identifier, main: blocks[main].block,
            others: blocks.indices.filter { $0 != main }.map { blocks[$0].block })
        let around = inBed.filter { run in
            run[0].start < night.main.end && (run.map(\.end).max() ?? run[0].end) > night.main.start
        }.flatMap(\.self)
        if !around.isEmpty {
            night.inBedSeconds = union(around).reduce(0) { $0 + $1.end.seconds(since: $1.start) }
            night.inBedStart = around.map(\.start).min()
            night.inBedEnd = around.map(\.end).max()
        }
        return night
    }

    /// An order that two equal sets of segments share.
    private static func order(_ segment: SleepSegment) -> (Int64, Int64, String, String, String) {
        (
            segment.start.milliseconds, segment.end.milliseconds, segment.source, segment.stage.rawValue,
            segment.timeZone ?? ""
        )
    }

    /// Runs of segments with less than ``longestPause`` between them, each in the order of starts.
    private static func merge(_ segments: [SleepSegment]) -> [[SleepSegment]] {
        var runs: [[SleepSegment]] = []
        var end = Timestamp(milliseconds: .min / 2)
        for segment in segments {
            if runs.isEmpty || segment.start.seconds(since: end) >= longestPause {
                runs.append([segment])
                end = segment.end
            } else {
                runs[runs.count - 1].append(segment)
                end = max(end, segment.end)
            }
        }
        return runs
    }

    /// Asleep segments of the watches, and blocks of others that these did not see.
    private static func chooseSources(_ asleep: [SleepSegment]) -> [SleepSegment] {
        let watch = asleep.filter(\.isWatch)
        guard !watch.isEmpty else { return asleep }
        let seen = union(watch)
        let others = Dictionary(grouping: asleep.filter { !$0.isWatch }, by: \.source).values
            .flatMap { merge($0) }
            .filter { run in
                let own = union(run)
                return 2 * overlap(own, seen) < own.reduce(0) { $0 + $1.end.seconds(since: $1.start) }
            }
            .flatMap(\.self)
        return (watch + others).sorted { order($0) < order($1) }
    }

    private typealias Span = (start: Timestamp, end: Timestamp)

    /// The times that any of the segments, in the order of starts, covers.
    private static func union(_ segments: [SleepSegment]) -> [Span] {
        var spans: [Span] = []
        for segment in segments.sorted(by: { $0.start < $1.start }) {
            if let last = spans.last, segment.start <= last.end {
                spans[spans.count - 1].end = max(last.end, segment.end)
            } else {
                spans.append((segment.start, segment.end))
            }
        }
        return spans
    }

    /// Seconds that two lists of spans, each in order and without overlap, have in common.
    private static func overlap(_ a: [Span], _ b: [Span]) -> Double {
        var sum = 0.0
        for span in a {
            var low = 0
            var high = b.count
            while low < high {
                let middle = (low + high) / 2
                if b[middle].end <= span.start { low = middle + 1 } else { high = middle }
            }
            while low < b.count, b[low].start < span.end {
                sum += min(span.end, b[low].end).seconds(since: max(span.start, b[low].start))
                low += 1
            }
        }
        return sum
    }

    /// What wins where segments overlap: a stage over plain sleep, sleep over waking.
    private static let priority: [SleepSegment.Stage] = [.deep, .rem, .core, .asleep, .awake]

    private static func block(of run: [SleepSegment], awake: ArraySlice<SleepSegment>) -> SleepBlock {
        var start = run[0].start
        var end = run.map(\.end).max() ?? start
        let sources = Set(run.map(\.source))
        let near = awake.prefix { $0.start <= end.adding(seconds: longestSegment) }
            .filter { sources.contains($0.source) }
        // Lying awake before the first sleep and after the last belongs to it, as the sources tell it in one piece.
        for segment in near where segment.start <= end && segment.end > end { end = segment.end }
        for segment in near.reversed() where segment.end >= start && segment.start < start { start = segment.start }
        let waking = near.filter { $0.start < end && $0.end > start }
        // Sweep over the moments at which something begins or ends.
        var edges: [(at: Timestamp, rank: Int, step: Int)] = []
        for segment in run + waking {
            guard let rank = priority.firstIndex(of: segment.stage) else { continue }
            edges.append((max(segment.start, start), rank, 1))
            edges.append((min(segment.end, end), rank, -1))
        }
        edges.sort { $0.at < $1.at }
        var open = [Int](repeating: 0, count: priority.count)
        var seconds: [SleepSegment.Stage: Double] = [:]
        var previous = start
        for edge in edges {
            if edge.at > previous, let rank = open.firstIndex(where: { $0 > 0 }) {
                seconds[priority[rank], default: 0] += edge.at.seconds(since: previous)
            }
            previous = edge.at
            open[edge.rank] += edge.step
        }
        return SleepBlock(
            start: start, end: end, asleepSeconds: seconds.reduce(0) { $0 + ($1.key.isAsleep ? $1.value : 0) },
            stageSeconds: seconds, sources: sources.sorted())
    }
}
