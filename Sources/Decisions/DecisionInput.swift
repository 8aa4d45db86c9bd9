import Foundation
import Music
import Protocols

/// A song that somebody other than the ranking wants next.
package struct Proposal: Codable, Hashable, Sendable {
    package let songId: String
    /// `user` or an adviser's name.
    package let from: String

    package init(songId: String, from: String) {
        self.songId = songId
        self.from = from
    }

    package var isFromUser: Bool { from == "user" }
}

/// Everything one decision is made of.
package struct DecisionInput: Sendable {
    package var now: Timestamp
    package var timeZone: TimeZone
    package var state: StateVector
    /// The songs of the chosen playlists, and only those.
    package var table: SongTable
    /// Has the entries of `table`; nil = nothing played and nothing learnt.
    package var dynamics: SongDynamics?
    /// Plays of at least the last `avoidRecentMinutes`, and always the last `maxSameArtistInRow`; in any order.
    package var recent: [RecentPlay]
    /// The song before this one in the session, for the transition; nil at the start of a session.
    package var lastSong: Song?
    package var mood: Mood?
    package var nudges: CrownNudges
    package var preferences: Preferences
    package var proposal: Proposal?
    /// How many of the best to report, at least 24.
    package var reported: Int
    /// False when no playlist was chosen at all.
    package var hasPlaylist: Bool

    package init(
        now: Timestamp, timeZone: TimeZone, state: StateVector, table: SongTable, dynamics: SongDynamics? = nil,
        recent: [RecentPlay] = [], lastSong: Song? = nil, mood: Mood? = nil, nudges: CrownNudges = CrownNudges(),
        preferences: Preferences = Preferences(), proposal: Proposal? = nil, reported: Int = 24,
        hasPlaylist: Bool = true
    ) {
        self.now = now
        self.timeZone = timeZone
        self.state = state
        self.table = table
        self.dynamics = dynamics
        self.recent = recent
        self.lastSong = lastSong
        self.mood = mood
        self.nudges = nudges
        self.preferences = preferences
        self.proposal = proposal
        self.reported = reported
        self.hasPlaylist = hasPlaylist
    }

    /// Why the limits of the hour do not hold, if so: they guard automatic picks except in a workout or against the
    /// user's own mood, nudge or request.
    var waiver: LimitsWaiver? {
        if state.activityContext.value == .workout { return .workout }
        if proposal?.isFromUser == true { return .request }
        if nudges.energy(at: now) > LimitsWaiver.leastEnergyNudge
            || nudges.tempo(at: now) > LimitsWaiver.leastTempoNudge
        {
            return .nudge
        }
        if let mood, mood.isActive(at: now), mood.energy >= LimitsWaiver.leastMoodEnergy { return .mood }
        return nil
    }
}

/// What overrules the limits of the hour.
package enum LimitsWaiver: String, Codable, Hashable, Sendable {
    case workout, mood, nudge, request

    /// A mood that asks for energy: "happy" and "great", step 4 and 5.
    static let leastMoodEnergy = 0.6
    /// What is left of a turn of the crown after a few half-lives no longer asks for anything.
    static let leastEnergyNudge = 0.05
    static let leastTempoNudge = 2.0
}
