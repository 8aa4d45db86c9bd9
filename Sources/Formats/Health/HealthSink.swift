import Physiology
import Protocols

/// Hands records on and counts them, and what is left out with its reason.
struct HealthSink {
    /// Clocks differ; what begins or ends later than this after now is of the future.
    static let tolerance = 300.0

    private(set) var tally = HealthTally()
    private let take: (BodyRecord) throws -> Void
    private let latest: Timestamp
    private var taken = [Int](repeating: 0, count: HealthSink.kinds.count)
    private var skipped: [SkipReason: Int] = [:]

    init(now: Timestamp, take: @escaping (BodyRecord) throws -> Void) {
        latest = now.adding(seconds: Self.tolerance)
        self.take = take
    }

    /// Why something was left out.
    enum SkipReason: Hashable {
        case future, unreadableTime, missingValue, unreadableValue, outOfRange, endsBeforeStart
        case insideCorrelation
        case other(String)

        var words: String {
            switch self {
            case .future: "in the future"
            case .unreadableTime: "unreadable time"
            case .missingValue: "no value"
            case .unreadableValue: "unreadable value"
            case .outOfRange: "value out of range"
            case .endsBeforeStart: "ends before it starts"
            case .insideCorrelation: "repeated inside a correlation"
            case .other(let words): words
            }
        }
    }

    private static let kinds =
        [
            "heartRate", "variability", "restingHeartRate", "sleep", "workout", "person",
        ] + QuantityRecord.Kind.allCases.map(\.rawValue)

    private static func index(_ record: BodyRecord) -> Int {
        switch record {
        case .heartRate: 0
        case .variability: 1
        case .restingHeartRate: 2
        case .sleep: 3
        case .workout: 4
        case .person: 5
        case .quantity(let quantity): 6 + (QuantityRecord.Kind.allCases.firstIndex(of: quantity.kind) ?? 0)
        }
    }

    /// Records handed on so far.
    private(set) var count = 0

    func isFuture(_ moment: Timestamp) -> Bool { moment > latest }

    /// Hands a record on.
    ///
    /// - Throws: what the taker throws: the reading ends.
    mutating func emit(_ record: BodyRecord) throws {
        try take(record)
        taken[Self.index(record)] += 1
        count += 1
    }

    mutating func skip(_ reason: SkipReason, _ number: Int = 1) {
        if number > 0 { skipped[reason, default: 0] += number }
    }

    mutating func skip(_ words: String, _ number: Int = 1) { skip(.other(words), number) }

    mutating func found(_ name: String, _ number: Int = 1) { tally.found[name, default: 0] += number }

    mutating func problem(_ words: String) { tally.problems.append(words) }

    /// What was counted, for the report.
    var summary: HealthTally {
        var result = tally
        for (index, number) in taken.enumerated() where number > 0 { result.taken[Self.kinds[index]] = number }
        for (reason, number) in skipped { result.skip(reason.words, number) }
        return result
    }

    /// True for a stretch that is sound: it ends at or after its start and not in the future; what is not is counted.
    mutating func accepts(_ start: Timestamp, _ end: Timestamp) -> Bool {
        guard start <= end else {
            skip(.endsBeforeStart)
            return false
        }
        guard end <= latest else {
            skip(.future)
            return false
        }
        return true
    }

    /// A value within its range, or nil after counting why not.
    mutating func value(_ value: Double?, in range: ClosedRange<Double>) -> Double? {
        guard let value else {
            skip(.unreadableValue)
            return nil
        }
        guard range.contains(value) else {
            skip(.outOfRange)
            return nil
        }
        return value
    }
}
