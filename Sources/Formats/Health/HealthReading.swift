import Physiology

/// What a reader of health files has taken and left, for the report after an import.
package struct HealthTally: Hashable, Codable, Sendable {
    /// Records by kind, see ``BodyRecord/kind``.
    package var taken: [String: Int] = [:]
    /// Records by reason: `unknown type HKQuantityTypeIdentifierX`, `value out of range` ….
    package var skipped: [String: Int] = [:]
    /// What could not be read further, with the place; the rest before it was taken.
    package var problems: [String] = []
    /// What the file holds, by the names that it uses itself; also what is not taken.
    package var found: [String: Int] = [:]

    package init() {}

    package mutating func take(_ record: BodyRecord) { taken[record.kind, default: 0] += 1 }
    package mutating func problem(_ words: String) { problems.append(words) }
    package mutating func skip(_ reason: String, _ count: Int = 1) { skipped[reason, default: 0] += count }

    /// Adds what another file had.
    package mutating func add(_ other: HealthTally) {
        taken.merge(other.taken, uniquingKeysWith: +)
        skipped.merge(other.skipped, uniquingKeysWith: +)
        found.merge(other.found, uniquingKeysWith: +)
        problems += other.problems
    }
}

/// How far a reader has come.
package struct HealthProgress: Hashable, Sendable {
    package var bytes: Int
    /// 0 when the size is not known.
    package var totalBytes: Int
    package var records: Int

    package init(bytes: Int, totalBytes: Int, records: Int) {
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.records = records
    }
}
