import Foundation
import Protocols

/// Notices that the listener goes from one state to another.
///
/// A transition is a change of at least 0.25 in arousal or energy, or of context, within the last 5 min. It expires
/// after 10 min, also when the changing goes on.
struct TransitionDetector: Codable, Hashable, Sendable {
    static let step = 0.25
    static let window = 300.0
    static let longest = 600.0

    private struct Point: Codable, Hashable, Sendable {
        let at: Timestamp
        let arousal: Double
        let energy: Double
        let context: ActivityContext
    }

    private var recent: [Point] = []
    private var since: Timestamp?

    init() {}

    /// Takes in the newest state; true while a transition is going on.
    mutating func observe(at now: Timestamp, arousal: Double, energy: Double, context: ActivityContext) -> Bool {
        recent.removeAll { now.seconds(since: $0.at) > Self.window || $0.at > now }
        let changed = recent.contains {
            abs($0.arousal - arousal) >= Self.step || abs($0.energy - energy) >= Self.step || $0.context != context
        }
        recent.append(Point(at: now, arousal: arousal, energy: energy, context: context))
        // One state a second for five minutes is the most anybody asks for.
        if recent.count > 300 { recent.removeFirst(recent.count - 300) }
        guard changed else {
            since = nil
            return false
        }
        let start = since ?? now
        since = start
        return now.seconds(since: start) < Self.longest
    }
}
