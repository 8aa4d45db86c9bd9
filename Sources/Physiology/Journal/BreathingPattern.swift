import Protocols

/// A paced breath: in, hold, out, hold, in seconds.
///
/// Six breaths a minute, slower out than in, raise heart-rate variability most in most people.
///
/// Source: Lehrer and Gevirtz, "Heart rate variability biofeedback: how and why does it work?", Frontiers in Psychology
/// 5:756 (2014).
package struct BreathingPattern: Hashable, Sendable {
    package enum Phase: String, Hashable, Sendable, CaseIterable {
        case breatheIn = "breathe in"
        case holdFull = "hold"
        case breatheOut = "breathe out"
        case holdEmpty = "rest"
    }

    /// Seconds that a phase may last.
    package static let allowed = 0.5...30.0
    package static let usual = "4-6"

    /// In the order of a breath; a phase of none is absent.
    package let phases: [(phase: Phase, seconds: Double)]
    package let text: String

    /// - Parameter text: `4-6` (in, out), `4-7-8` (in, hold, out) or `4-4-4-4` (in, hold, out, hold); a hold may be 0.
    /// - Returns: nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }
        guard numbers.count == parts.count, (2...4).contains(numbers.count) else { return nil }
        let names: [Phase] =
            numbers.count == 2 ? [.breatheIn, .breatheOut] : [.breatheIn, .holdFull, .breatheOut, .holdEmpty]
        let pairs = zip(names, numbers).map { (phase: $0, seconds: $1) }
        for (phase, seconds) in pairs where !Self.allowed.contains(seconds) {
            let isHold = phase == .holdFull || phase == .holdEmpty
            guard isHold, seconds == 0 else { return nil }
        }
        phases = pairs.filter { $0.seconds > 0 }
        self.text = text
    }

    package var secondsPerBreath: Double { phases.reduce(0) { $0 + $1.seconds } }

    /// - Parameter elapsed: s since the begin, not negative.
    /// - Returns: the number of the breath from 1, what to do, and how much of the phase is done, 0..<1.
    package func moment(_ elapsed: Double) -> (breath: Int, phase: Phase, share: Double) {
        let breath = Int(elapsed / secondsPerBreath)
        var rest = elapsed - Double(breath) * secondsPerBreath
        for (phase, seconds) in phases {
            if rest < seconds { return (breath + 1, phase, rest / seconds) }
            rest -= seconds
        }
        // Rounding at the very end of a breath.
        return (breath + 2, phases[0].phase, 0)
    }

    package static func == (one: Self, other: Self) -> Bool { one.text == other.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
