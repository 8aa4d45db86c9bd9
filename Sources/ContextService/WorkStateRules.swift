import Formats
import Protocols

/// What the listener seems to be doing at the desk.
///
/// Definitions: meetings = a work event is on, or a conferencing app is in front; deep work = a focus mode with a
/// work-like name, or at least 20 of the last 30 min in productive apps with at most 2 switches per 5 min; idle = no
/// input for 5 min; else casual.
struct WorkStateRules: Sendable {
    /// Parts of focus names that mean work, lower case.
    var workFocusNames: [String]

    static let defaultFocusNames = ["work", "arbeit", "travail", "coding", "deep", "study", "focus", "writing"]
    static let productiveMinutes = 20.0
    static let switchesPerFiveMinutes = 2.0
    static let idleSeconds = 300.0

    /// - Returns: nil when neither focus, desk nor calendar says anything.
    func workState(focus: FocusState?, desk: DesktopDigest?, ongoing: EventType?) -> WorkState? {
        if ongoing == .meeting || desk?.category == .meeting { return .meetings }
        if let focus, focus.active, isWorkLike(focus.name) { return .deepWork }
        guard let desk else { return focus == nil && ongoing == nil ? nil : .casual }
        if desk.productiveOfHalfHour >= Self.productiveMinutes,
            desk.switchesPerFiveMinutes <= Self.switchesPerFiveMinutes, (desk.idleSeconds ?? 0) < Self.idleSeconds
        {
            return .deepWork
        }
        if let idle = desk.idleSeconds, idle >= Self.idleSeconds { return .idle }
        return .casual
    }

    private func isWorkLike(_ name: String?) -> Bool {
        guard let name = name?.lowercased() else { return false }
        return workFocusNames.contains { name.contains($0) }
    }
}
