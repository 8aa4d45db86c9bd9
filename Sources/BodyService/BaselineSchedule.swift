import Physiology
import Protocols

/// When the baseline is worth computing again: each minute while little is known, then ever more rarely.
struct BaselineSchedule {
    /// Still minutes until which each new minute moves the baseline visibly.
    static let eagerMinutes = 240.0
    static let eagerSeconds = 60.0
    /// Until the days before today suffice alone.
    static let hourlySeconds = 3600.0

    private var computedAt: Timestamp?
    private var day: Int?

    /// - Parameters:
    ///   - last: the baseline that was published last.
    ///   - isNew: samples came since then.
    mutating func isDue(at now: Timestamp, last: Baseline?, isNew: Bool, clock: LocalClock) -> Bool {
        guard let last, let computedAt else { return true }
        if day != clock.day(of: now) { return true }
        guard isNew else { return false }
        let elapsed = now.seconds(since: computedAt)
        // The clock was set back: what was computed is from a time that has not come yet.
        if elapsed < 0 { return true }
        if last.stillMinutes < Self.eagerMinutes { return elapsed >= Self.eagerSeconds }
        return last.nights < BaselineBuilder.actingDays && elapsed >= Self.hourlySeconds
    }

    mutating func computed(at now: Timestamp, clock: LocalClock) {
        computedAt = now
        day = clock.day(of: now)
    }
}
