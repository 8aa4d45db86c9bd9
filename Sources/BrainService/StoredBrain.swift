import GRDB
import Learning
import Protocols

/// What a starting brain finds on its disk.
struct StoredBrain: Sendable {
    var resume: ResumeState?
    var chosen: [String]
    var preferences: [(name: String, value: String)]
    var observations: [PlayObservation]
    var plays: [BrainStore.PastPlay]
    var body: KeptBody?
    var pool: KeptPool?

    init(in db: Database) throws {
        resume = try BrainStore.resume(in: db)
        chosen = try BrainStore.chosenPlaylists(in: db)
        preferences = try BrainStore.preferences(in: db)
        observations = try BrainStore.observations(in: db)
        plays = try BrainStore.pastPlays(in: db)
        body = try BrainStore.kept(KeptBody.self, KeptBody.name, in: db)
        pool = try BrainStore.kept(KeptPool.self, KeptPool.name, in: db)
    }
}
