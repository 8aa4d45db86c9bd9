import Foundation
import Protocols

/// Everything that is told of one night.
package struct NightFigures: Hashable, Codable, Sendable {
    /// Local day on which the main sleep ended.
    package var day: Int
    /// `2026-03-04`.
    package var date: String
    /// Main sleep.
    package var startAt: Timestamp
    package var endAt: Timestamp
    package var asleepMinutes: Double
    package var awakeMinutes: Double
    package var inBedMinutes: Double?
    package var stages: SleepReport.Stages?
    /// Asleep outside of the main sleep.
    package var napMinutes: Double
    /// Share of the time in bed, else of the night between falling asleep and waking, 0…1.
    package var efficiency: Double?
    /// Minutes from going to bed to falling asleep.
    package var latencyMinutes: Double?
    /// Local minutes since the noon before: falling asleep, middle, waking.
    package var startMinute: Double
    package var middleMinute: Double
    package var endMinute: Double
    package var score: Double?
    package var quality: SleepQuality?
    package var parts: [SleepReport.Part]
    package var rmssdMs: Double?
    package var hrvMinutes: Int
    package var bpm: Double?
    package var lowestBpm: Double?
    package var goalMinutes: Double
    /// 0…1.
    package var confidence: Double
    package var sources: [String]

    /// Confidence of a night whose stages are told, and of one without.
    static let stagedConfidence = 0.9
    static let unstagedConfidence = 0.7
    /// Longer between bed and sleep is a book, not a latency, min.
    static let longestLatency = 180.0

    /// Figures of all nights, each judged by the nights before it.
    ///
    /// - Parameters:
    ///   - nights: in any order.
    ///   - minutes: still minutes with heart rate and HRV, any order.
    ///   - goal: minutes.
    package static func all(
        _ nights: [SleepNight], minutes: [StillMinute] = [], goal: Double, timeZone: TimeZone
    ) -> [NightFigures] {
        let sortedMinutes = minutes.sorted { $0.at < $1.at }
        var figures: [NightFigures] = []
        for night in nights.sorted(by: { $0.day < $1.day }) {
            let before = figures.suffix(SleepScore.usualNights).filter {
                night.day - $0.day <= 2 * SleepScore.usualNights
            }
            figures.append(
                NightFigures(
                    night, before: Array(before), minutes: sortedMinutes, goal: goal, timeZone: timeZone))
        }
        return figures
    }

    /// - Parameters:
    ///   - before: figures of the nights before, for what is usual.
    ///   - minutes: still minutes in the order of time.
    package init(
        _ night: SleepNight, before: [NightFigures], minutes: [StillMinute], goal: Double, timeZone: TimeZone
    ) {
        let main = night.main
        let clock = LocalClock(timeZone: TimeZone(identifier: night.timeZone) ?? timeZone)
        day = night.day
        date = "\(LocalDate(number: night.day))"
        startAt = main.start
        endAt = main.end
        goalMinutes = goal
        sources = main.sources
        let seconds = { (stage: SleepSegment.Stage) in main.stageSeconds[stage] ?? 0 }
        asleepMinutes = main.asleepSeconds / 60
        awakeMinutes = seconds(.awake) / 60
        napMinutes = night.others.reduce(0) { $0 + $1.asleepSeconds } / 60
        let staged = seconds(.core) + seconds(.deep) + seconds(.rem)
        let hasStages = main.asleepSeconds > 0 && staged >= SleepScore.stagedShare * main.asleepSeconds
        stages =
            hasStages
            ? .init(
                coreMinutes: seconds(.core) / 60, deepMinutes: seconds(.deep) / 60, remMinutes: seconds(.rem) / 60,
                unspecifiedMinutes: seconds(.asleep) / 60) : nil
        inBedMinutes = night.inBedSeconds.map { $0 / 60 }
        if let inBed = night.inBedSeconds, inBed > 0 {
            efficiency = min(1, main.asleepSeconds / inBed)
        } else if main.asleepSeconds > 0, seconds(.awake) > 0 {
            efficiency = main.asleepSeconds / (main.asleepSeconds + seconds(.awake))
        }
        latencyMinutes = night.inBedStart.flatMap { bed in
            let minutes = main.start.seconds(since: bed) / 60
            return (0...Self.longestLatency).contains(minutes) ? minutes : nil
        }
        startMinute = Self.sinceNoon(main.start, clock)
        endMinute = Self.sinceNoon(main.end, clock)
        let middle = main.start.adding(seconds: main.end.seconds(since: main.start) / 2)
        let middleMinute = Self.sinceNoon(middle, clock)
        self.middleMinute = middleMinute
        let usual =
            before.count >= SleepScore.minimumUsualNights ? median(of: before.map(\.middleMinute)) : nil
        let result = SleepScore(
            asleep: asleepMinutes, goal: goal, efficiency: efficiency,
            deepAndRem: hasStages ? (seconds(.deep) + seconds(.rem)) / main.asleepSeconds : nil,
            shift: usual.map { Self.distance(middleMinute, $0) })
        parts = result.parts
        score = result.score
        quality = result.score.map { SleepScore.quality($0) }
        confidence = result.knownWeight * (hasStages ? Self.stagedConfidence : Self.unstagedConfidence)

        let inside = Self.slice(minutes, from: main.start, to: main.end)
        let logs = inside.compactMap(\.lnRmssd)
        hrvMinutes = logs.count
        rmssdMs = logs.count >= Night.minimumHrvMinutes ? mean(of: logs).map { exp($0) } : nil
        bpm = inside.count >= Night.minimumMinutes ? mean(of: inside.map(\.bpm)) : nil
        lowestBpm = Night.resting(of: Array(inside))
    }

    /// Local minutes since the last noon, 0..<1440.
    static func sinceNoon(_ at: Timestamp, _ clock: LocalClock) -> Double {
        Double((clock.minuteOfDay(of: at) + 720) % 1440)
    }

    /// Minutes between two times of the day, the shorter way.
    static func distance(_ a: Double, _ b: Double) -> Double {
        let apart = abs(a - b).truncatingRemainder(dividingBy: 1440)
        return min(apart, 1440 - apart)
    }

    private static func slice(_ minutes: [StillMinute], from: Timestamp, to: Timestamp) -> ArraySlice<StillMinute> {
        func first(_ at: Timestamp) -> Int {
            var low = 0
            var high = minutes.count
            while low < high {
                let middle = (low + high) / 2
                if minutes[middle].at < at { low = middle + 1 } else { high = middle }
            }
            return low
        }
        let start = first(from)
        return minutes[start..<max(start, first(to))]
    }

    /// What travels on the bus.
    package func report(at now: Timestamp, bedtime: SleepReport.Bedtime?) -> SleepReport {
        SleepReport(
            at: now, night: date, startAt: startAt, endAt: endAt, asleepMinutes: asleepMinutes,
            inBedMinutes: inBedMinutes, awakeMinutes: awakeMinutes, stages: stages,
            score: score.map { Int($0.rounded()) },
            quality: quality, parts: parts, rmssdMs: rmssdMs, hrvMinutes: hrvMinutes > 0 ? hrvMinutes : nil, bpm: bpm,
            goalMinutes: goalMinutes, bedtime: bedtime, confidence: confidence, sources: sources)
    }
}
