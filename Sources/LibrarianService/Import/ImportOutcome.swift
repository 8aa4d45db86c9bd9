/// What one file brought.
package struct ImportOutcome: Equatable, Sendable {
    /// Songs, entries or rows of the file that were taken.
    package var taken = 0
    package var added = 0
    package var updated = 0
    package var unchanged = 0
    /// Playlists that the file holds.
    package var playlists = 0
    /// Tracks that were not taken, by reason.
    package var leftOut: [String: Int] = [:]
    /// Whether anything in the database changed.
    package var changed = false

    mutating func leaveOut(_ reason: String, _ count: Int = 1) { leftOut[reason, default: 0] += count }
}
