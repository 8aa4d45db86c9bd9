import Bus
import Protocols

/// Writes that wait for the end of a call, or for a disk that has room again.
struct UnsavedWrites: Sendable {
    private(set) var works: [BrainDisk.Work] = []
    /// Events whose effect is among the works: none is acknowledged before they are written.
    var events: Set<EventID> = []
    var resumeIsDirty = false
    /// Since when writing fails.
    private(set) var troubleSince: Timestamp?
    private(set) var lost = 0
    private var retryAt: Timestamp?

    /// Writes that wait at most; then the oldest are given up and counted.
    static let bound = 10_000
    static let retrySeconds = 5.0

    mutating func add(_ work: @escaping BrainDisk.Work) {
        works.append(work)
        if works.count > Self.bound {
            works.removeFirst()
            lost += 1
        }
    }

    func isDue(at now: Timestamp) -> Bool {
        guard !works.isEmpty || resumeIsDirty else { return false }
        return retryAt.map { now >= $0 } ?? true
    }

    mutating func failed(at now: Timestamp) {
        troubleSince = troubleSince ?? now
        retryAt = now.adding(seconds: Self.retrySeconds)
    }
}
