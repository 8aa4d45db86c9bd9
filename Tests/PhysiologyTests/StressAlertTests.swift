import Foundation
import Physiology
import Protocols
import Testing

struct StressAlertTests {
    static let berlin = LocalClock(timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
    /// Wednesday 2026-03-04, 12:00 in Berlin.
    static let noon = Timestamp(milliseconds: 1_772_622_000_000)

    static func reading(
        _ level: StressLevel?, at: Timestamp, confidence: Double = 0.9, gate: StressGate = .none, held: Bool = false
    ) -> StressReading {
        StressReading(
            at: at, level: level, score: 0.5, factors: [], gate: gate, confidence: confidence, z: 0, isHeld: held)
    }

    /// Verdicts of readings six minutes apart.
    static func verdicts(
        _ levels: [StressLevel?], from start: Timestamp = noon, settings: BodySettings = BodySettings(),
        rules: inout StressAlertRules
    ) -> [StressAlertRules.Verdict] {
        levels.enumerated().map { index, level in
            rules.judge(
                reading(level, at: start.adding(seconds: Double(index) * 360), gate: level == nil ? .active : .none),
                settings: settings, clock: berlin)
        }
    }

    static func told(_ verdicts: [StressAlertRules.Verdict]) -> [StressLevel?] {
        verdicts.compactMap { verdict in
            if case .tell(let alert) = verdict { .some(alert.level?.value) } else { nil }
        }
    }

    @Test func `titles and texts are those of the specification`() throws {
        let elevated = try #require(StressAlertRules.text(.elevated))
        #expect(elevated.title == "Stress Level Elevated")
        #expect(elevated.text == "Your stress level is slightly elevated. Consider taking a short break.")
        let high = try #require(StressAlertRules.text(.high))
        #expect(high.title == "High Stress Detected")
        #expect(high.text == "Your stress level is high. Take a moment to breathe and relax.")
        let overload = try #require(StressAlertRules.text(.overload))
        #expect(overload.title == "⚠️ Stress Overload")
        #expect(overload.text == "Your stress level is very high. Please prioritize rest and recovery.")
        #expect(StressAlertRules.text(.relaxed) == nil)
        #expect(StressAlertRules.text(.normal) == nil)
    }

    @Test func `a level is told when it has lasted, once until the pause is over`() {
        var rules = StressAlertRules()
        // Minutes 0 to 66: High from minute 6 on, told at minute 12.
        let verdicts = Self.verdicts(
            [.normal, .high, .high, .high, .high, .high, .high, .high, .high, .high, .high, .high], rules: &rules)
        #expect(verdicts[0] == .low)
        #expect(verdicts[1] == .notSustained)
        #expect(Self.told([verdicts[2]]) == [.high])
        #expect(verdicts[3...].allSatisfy { $0 == .cooling })
        // An hour after minute 12 again.
        let later = Self.verdicts([.high], from: Self.noon.adding(seconds: 72 * 60), rules: &rules)
        #expect(Self.told(later) == [.high])
    }

    @Test func `one moment alone is no news`() {
        var rules = StressAlertRules()
        #expect(
            Self.told(Self.verdicts([.high, .normal, .overload, .normal, .high, nil, .high], rules: &rules)).isEmpty)
    }

    @Test func `a rise is told within the pause, a fall is not`() {
        var rules = StressAlertRules()
        let verdicts = Self.verdicts([.high, .high, .overload, .overload, .high, .high], rules: &rules)
        #expect(Self.told(verdicts) == [.high, .overload])
    }

    @Test func `High and Overload are switched apart, and neither stands in for the other`() {
        var settings = BodySettings()
        settings.alertOverload = false
        var rules = StressAlertRules()
        #expect(
            Self.told(Self.verdicts([.overload, .overload, .overload], settings: settings, rules: &rules)).isEmpty)
        #expect(
            Self.told(
                Self.verdicts([.high, .high], from: Self.noon.adding(seconds: 3600), settings: settings, rules: &rules))
                == [.high])
        settings = BodySettings()
        settings.alertHigh = false
        rules = StressAlertRules()
        #expect(Self.told(Self.verdicts([.high, .high, .high], settings: settings, rules: &rules)).isEmpty)
        rules = StressAlertRules()
        #expect(
            Self.told(Self.verdicts([.overload, .overload], settings: settings, rules: &rules)) == [.overload])
    }

    @Test func `the chosen level decides what is told`() {
        var settings = BodySettings()
        var rules = StressAlertRules()
        #expect(Self.told(Self.verdicts([.elevated, .elevated], settings: settings, rules: &rules)).isEmpty)
        settings.alertLevel = .elevated
        rules = StressAlertRules()
        #expect(Self.told(Self.verdicts([.elevated, .elevated], settings: settings, rules: &rules)) == [.elevated])
        settings.alertLevel = .overload
        rules = StressAlertRules()
        #expect(Self.told(Self.verdicts([.high, .high], settings: settings, rules: &rules)).isEmpty)
        settings = BodySettings()
        settings.alerts = false
        rules = StressAlertRules()
        #expect(Self.verdicts([.high, .high], settings: settings, rules: &rules).last == .off)
    }

    @Test func `nothing is told while gated, held or unsure`() {
        let settings = BodySettings()
        for unfit in [
            Self.reading(nil, at: Self.noon.adding(seconds: 360), gate: .active),
            Self.reading(nil, at: Self.noon.adding(seconds: 360), gate: .recovering),
            Self.reading(.overload, at: Self.noon.adding(seconds: 360), held: true),
            Self.reading(.overload, at: Self.noon.adding(seconds: 360), confidence: 0.49),
        ] {
            var rules = StressAlertRules()
            _ = rules.judge(Self.reading(.overload, at: Self.noon), settings: settings, clock: Self.berlin)
            let verdict = rules.judge(unfit, settings: settings, clock: Self.berlin)
            #expect(verdict == .gated || verdict == .held || verdict == .unsure)
        }
    }

    @Test(
        arguments: [
            // 21:59, 22:00, 23:30, 00:30, 06:59, 07:00 in Berlin on 4 and 5 March 2026 (UTC + 1).
            (1_772_657_940, false), (1_772_658_000, true), (1_772_663_400, true), (1_772_667_000, true),
            (1_772_690_340, true), (1_772_690_400, false),
            // The night in which summer time begins, 29 March 2026: 01:59 (UTC + 1), 03:00 and 06:59 (UTC + 2), 07:00.
            (1_774_745_940, true), (1_774_746_000, true), (1_774_760_340, true), (1_774_760_400, false),
            // The night in which it ends, 25 October 2026: 02:30 twice, 07:00 (UTC + 1).
            (1_792_888_200, true), (1_792_891_800, true), (1_792_908_000, false),
        ])
    func `quiet hours go by the wall clock, over midnight and over the change of the hour`(second: Int64, quiet: Bool) {
        let hours = QuietHours(from: 22 * 60, to: 7 * 60)
        #expect(hours.contains(Timestamp(milliseconds: second * 1000), clock: Self.berlin) == quiet)
    }

    @Test func `quiet hours within one day, and none at all`() {
        let siesta = QuietHours(from: 13 * 60, to: 14 * 60)
        #expect(!siesta.contains(Self.noon, clock: Self.berlin))
        #expect(siesta.contains(Self.noon.adding(seconds: 3600), clock: Self.berlin))
        #expect(!siesta.contains(Self.noon.adding(seconds: 7200), clock: Self.berlin))
        #expect(!QuietHours(from: 720, to: 720).contains(Self.noon, clock: Self.berlin))
        var rules = StressAlertRules()
        var settings = BodySettings()
        let night = Self.noon.adding(seconds: 11 * 3600)
        #expect(Self.verdicts([.high, .high], from: night, rules: &rules).last == .quiet)
        settings.quietHours = false
        rules = StressAlertRules()
        #expect(Self.told(Self.verdicts([.high, .high], from: night, settings: settings, rules: &rules)) == [.high])
    }

    @Test func `a restart repeats nothing`() throws {
        var rules = StressAlertRules()
        #expect(Self.told(Self.verdicts([.high, .high], rules: &rules)) == [.high])
        var restored = try JSONDecoder().decode(StressAlertRules.self, from: JSONEncoder().encode(rules))
        #expect(restored == rules)
        #expect(Self.verdicts([.high], from: Self.noon.adding(seconds: 720), rules: &restored) == [.cooling])
    }

    @Test func `summaries come once a day at their time, bedtime once a night`() {
        var schedule = BodySchedule()
        var settings = BodySettings()
        settings.bedtimeReminder = true
        // Wednesday 19:59, 20:00, 20:01; Thursday 20:00.
        let before = Self.noon.adding(seconds: 8 * 3600 - 60)
        let bedtime = Self.noon.adding(seconds: 10.5 * 3600)
        func due(_ at: Timestamp, bedtime: Timestamp?) -> [BodySchedule.Item] {
            schedule.due(at: at, settings: settings, bedtime: bedtime, clock: Self.berlin)
        }
        #expect(due(before, bedtime: bedtime).isEmpty)
        #expect(due(before.adding(seconds: 60), bedtime: bedtime) == [.dailySummary])
        #expect(due(before.adding(seconds: 120), bedtime: bedtime).isEmpty)
        #expect(due(bedtime.adding(seconds: -1800), bedtime: bedtime) == [.bedtime])
        #expect(due(bedtime, bedtime: bedtime).isEmpty)
        #expect(due(before.adding(seconds: 86_460), bedtime: nil) == [.dailySummary])
        // Monday 8:00: the week; who comes four hours late is told nothing.
        let monday = Self.noon.adding(seconds: 5 * 86_400 - 4 * 3600)
        #expect(due(monday, bedtime: nil) == [.weeklyInsight])
        #expect(due(monday.adding(seconds: 7 * 86_400 + 4 * 3600), bedtime: nil).isEmpty)
    }
}
