import Protocols

/// Judges what the player says about itself against what the brain believes.
///
/// A difference may only mean that an event is still on its way, so nothing is believed before it was seen twice.
package struct PlayerWatch: Sendable {
    /// The player has been asked since this process started, and answered.
    package private(set) var attached = false
    /// When a progress or an answer last came.
    package private(set) var heardAt: Timestamp?
    private var askedAt: Timestamp?
    private var doubt: (playId: String?, since: Timestamp)?
    /// The process was not there when it was asked: what comes back is a new one, which has no events on their way.
    private var isGone = false

    /// Seconds of silence of a playing player after which it is asked.
    package static let silence = 2.5
    /// Seconds between two questions, and between two sights of the same difference.
    package static let interval = 2.0
    /// Seconds between two questions to a player that was not there.
    package static let absence = 1.0

    package init() {}

    package enum Verdict: Hashable, Sendable {
        case agrees
        /// Look again.
        case doubtful
        /// The current play is gone.
        case lost
        /// Another play that we offered is on.
        case plays(playId: String)
    }

    package mutating func heard(at now: Timestamp) { heardAt = now }

    /// The player said something that does not fit: ask it soon.
    package mutating func suspect() { heardAt = nil }

    /// The player has to be asked afresh, since it or this process has just come.
    package mutating func detach() {
        attached = false
        askedAt = nil
    }

    /// True when it is time to ask the player what it does; counts as asked.
    package mutating func shouldAsk(expectsMusic: Bool, at now: Timestamp) -> Bool {
        let isSilent = heardAt.map { now.seconds(since: $0) > Self.silence } ?? true
        guard !attached || doubt != nil || (expectsMusic && isSilent) else { return false }
        let pause = isGone ? Self.absence : Self.interval
        if let askedAt, now.seconds(since: askedAt) < pause { return false }
        askedAt = now
        return true
    }

    /// There is no player at all.
    package mutating func miss() {
        attached = false
        isGone = true
    }

    package mutating func judge(_ status: PlayerStatus, current: String?, at now: Timestamp) -> Verdict {
        heardAt = now
        attached = true
        let isNew = isGone
        isGone = false
        guard status.playId != current else {
            doubt = nil
            return .agrees
        }
        if isNew, status.playId == nil {
            doubt = nil
            return current == nil ? .agrees : .lost
        }
        guard let doubt, doubt.playId == status.playId else {
            doubt = (status.playId, now)
            return .doubtful
        }
        guard now.seconds(since: doubt.since) >= Self.interval else { return .doubtful }
        self.doubt = nil
        if let playId = status.playId { return .plays(playId: playId) }
        return current == nil ? .agrees : .lost
    }
}
