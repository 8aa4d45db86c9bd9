import Foundation
import Music
import Protocols

/// Why there is nothing to pick.
package enum EmptyPool: String, Codable, Hashable, Sendable {
    case noPlaylist, emptyPlaylist, nothingPlayable, allNeverPlay

    /// For the listener.
    package var notice: String {
        switch self {
        case .noPlaylist: "Choose a playlist."
        case .emptyPlaylist: "The chosen playlists are empty or gone: choose a playlist."
        case .nothingPlayable: "None of the songs in the chosen playlists can be played: choose another playlist."
        case .allNeverPlay: "Every song of the chosen playlists is on your never-play list: choose another playlist."
        }
    }
}

/// One decision with everything that explains it.
package struct Decision: Sendable {
    /// A song of the ranking.
    package struct Candidate: Hashable, Sendable {
        package let position: Int
        package let songId: String
        package let score: Double
        package let probability: Double
    }

    package let at: Timestamp
    package let state: StateVector
    package let targets: Targets
    /// nil exactly when ``empty`` says why.
    package let position: Int?
    package let song: SongRef?
    package let empty: EmptyPool?
    package let pick: PickKind
    /// The score of the pick; nil without one.
    package let breakdown: ScoreBreakdown?
    /// The best admissible songs, best first.
    package let candidates: [Candidate]
    package let candidateCount: Int
    /// SHA-256 over the sorted ids of all admissible songs, each followed by a newline, hex.
    package let candidatesHash: String
    package let policy: String
    package let random: Bool
    /// Probability of the pick; 1 for a proposal that was taken.
    package let probability: Double
    package let guardsApplied: [GuardKind]
    /// In the order in which they gave way, by name.
    package let relaxations: [String]
    package let breaches: [GuardKind]
    package let limits: DayLimits?
    package let waiver: LimitsWaiver?
    /// Guards that turned a proposal down; empty when there was none or it was taken.
    package let proposalBlockedBy: [GuardKind]

    /// The message of this decision.
    package func message(decisionId: String, seed: UInt64, playlist: String?) -> DecisionMade {
        DecisionMade(
            at: at, decisionId: decisionId, songId: song?.id, playlist: playlist,
            candidates: candidates.map { .init(songId: $0.songId, score: $0.score, probability: $0.probability) },
            candidateCount: candidateCount, candidatesHash: candidatesHash, policy: policy, seed: seed, random: random,
            guardsApplied: guardsApplied.map(\.rawValue), relaxations: relaxations,
            breaches: breaches.map(\.rawValue), need: state.need.value ?? .maintain,
            activityContext: state.activityContext.value ?? .unknown, targetBpm: targets.bpm,
            targetEnergy: targets.energy, score: breakdown?.score)
    }
}
