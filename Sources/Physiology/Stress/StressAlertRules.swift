import Protocols

/// Decides whether a reading is worth an alert. A value: keep it (it is Codable) and a restart repeats nothing.
package struct StressAlertRules: Hashable, Codable, Sendable {
    /// A level must be read twice, this many seconds apart, before it is told: 7 % of all ordinary moments are High or
    /// Overload by definition, one of them alone is no news.
    package static let sustainedSeconds = 300.0
    /// Longer without a reading, and the first one no longer counts.
    package static let longestPause = 1200.0

    private struct Told: Hashable, Codable, Sendable {
        var at: Timestamp
        var level: StressLevel
    }
    private struct Run: Hashable, Codable, Sendable {
        var since: Timestamp
        var last: Timestamp
    }

    private var told: Told?
    /// Since when readings have been at or above a level, by its raw value.
    private var runs: [String: Run] = [:]

    package init() {}

    /// Why nothing is told, for tests and for explaining.
    package enum Verdict: Equatable, Sendable {
        case tell(BodyAlert)
        case off, gated, held, unsure, low, notSustained, quiet, cooling
    }

    package mutating func judge(
        _ reading: StressReading, settings: BodySettings, clock: LocalClock
    ) -> Verdict {
        let now = reading.at
        guard reading.gate == StressGate.none, let level = reading.level?.value else {
            runs = [:]
            return .gated
        }
        guard reading.isHeld != true else { return .held }
        guard reading.confidence >= settings.alertConfidence else { return .unsure }
        note(level, at: now)
        guard settings.alerts else { return .off }
        // The level itself decides whether it is told: Overload that is switched off is not told as High instead.
        let lasting = StressLevel.allCases.last { level in
            runs[level.rawValue].map { now.seconds(since: $0.since) >= Self.sustainedSeconds } ?? false
        }
        guard let lasting, lasting.rank >= settings.alertLevel.rank else {
            return level.rank >= settings.alertLevel.rank ? .notSustained : .low
        }
        guard Self.isOn(lasting, settings) else { return .off }
        if QuietHours(settings)?.contains(now, clock: clock) == true { return .quiet }
        if let told, lasting.rank <= told.level.rank {
            let elapsed = now.seconds(since: told.at)
            if (0..<Double(settings.alertCooldownMinutes) * 60).contains(elapsed) { return .cooling }
        }
        guard let text = Self.text(lasting) else { return .low }
        told = Told(at: now, level: lasting)
        return .tell(
            BodyAlert(
                at: now, kind: .stress, level: lasting, title: text.title, text: text.text,
                action: lasting == .overload ? "breathe" : nil))
    }

    private mutating func note(_ level: StressLevel, at now: Timestamp) {
        for other in StressLevel.allCases where other.rank >= StressLevel.elevated.rank {
            guard other.rank <= level.rank else {
                runs[other.rawValue] = nil
                continue
            }
            if var run = runs[other.rawValue], (0...Self.longestPause).contains(now.seconds(since: run.last)) {
                run.last = now
                runs[other.rawValue] = run
            } else {
                runs[other.rawValue] = Run(since: now, last: now)
            }
        }
    }

    private static func isOn(_ level: StressLevel, _ settings: BodySettings) -> Bool {
        switch level {
        case .high: settings.alertHigh
        case .overload: settings.alertOverload
        case .elevated: true
        case .relaxed, .normal: false
        }
    }

    /// The texts of the specification (`stress.md` 6.3); nil for levels that are no alert.
    package static func text(_ level: StressLevel) -> (title: String, text: String)? {
        switch level {
        case .relaxed, .normal: nil
        case .elevated:
            (
                "Stress Level Elevated",
                "Your stress level is slightly elevated. Consider taking a short break."
            )
        case .high: ("High Stress Detected", "Your stress level is high. Take a moment to breathe and relax.")
        case .overload:
            ("⚠️ Stress Overload", "Your stress level is very high. Please prioritize rest and recovery.")
        }
    }
}
