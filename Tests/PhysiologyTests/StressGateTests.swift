import Foundation
import Physiology
import Protocols
import Testing

/// The quality gate of stress: what each term adds on labelled people, and how the levels of rest are shared out.
///
/// `RESONANCE_PRINT_ACCURACY=1` prints the table of `docs/accuracy.md`.
@Suite(.enabled(if: SharedData.has("stress/hr_resp_label_1hz.csv"), "shared/data/stress is absent"))
struct StressGateTests {
    /// Shares of `model.md` for relaxed … overload, percent, and how far a share may be from them.
    static let design = [31.0, 46, 16, 6, 1]
    static let tolerance = 5.0

    static func shares(_ values: [Double], cutPoints: [Double] = StressScale.cutPoints) -> [Double] {
        var counts = [Double](repeating: 0, count: 5)
        for value in values { counts[StressScale.level(z: value, cutPoints: cutPoints).rank] += 1 }
        return counts.map { 100 * $0 / Double(values.count) }
    }

    static func printed(_ line: String) {
        if ProcessInfo.processInfo.environment["RESONANCE_PRINT_ACCURACY"] != nil { print(line) }
    }

    @Test func `table`() throws {
        let all = try StressPerson.all()
        let people = all.map { $0.judged(withBeats: false) }
        Self.printed("people \(people.count)")
        let late = people.flatMap { $0.dropFirst(StressPredictTests.warmUp) }
        Self.printed("pooled AUC hr \(areaUnderCurve(late)) n \(late.count) stressed \(late.count(where: \.stressed))")
        let flat = all.map { $0.judged(withBeats: false, byHour: false) }.flatMap { $0.dropFirst(StressPredictTests.warmUp) }
        Self.printed("flat baseline \(areaUnderCurve(flat))")
        let beats = all.filter { !$0.beats.isEmpty }
        let with = beats.map { $0.judged(withBeats: true) }
        let without = beats.map { $0.judged(withBeats: false) }
        Self.printed("beats people \(beats.count): with \(areaUnderCurve(with.flatMap { $0.dropFirst(10) })) without \(areaUnderCurve(without.flatMap { $0.dropFirst(10) }))")
        Self.printed("from start: with \(areaUnderCurve(with.flatMap(\.self))) without \(areaUnderCurve(without.flatMap(\.self)))")
        for (name, set) in [("all", people.flatMap { $0.dropFirst(10) }), ("allstart", people.flatMap(\.self)), ("beats", with.flatMap { $0.dropFirst(10) })] {
            Self.printed("rest \(name) \(Self.shares(set.filter { !$0.stressed }.map(\.z))) stress \(Self.shares(set.filter(\.stressed).map(\.z)))")
        }
        // Leave one person out is no past; the first half of each rest as the person's own.
        var own: [Double] = []
        for person in people {
            let rest = person.filter { !$0.stressed }.map(\.z)
            let half = rest.count / 2
            let sorted = rest[..<half].sorted()
            let points = StressScale.personalQuantiles.compactMap { quantile($0, ofSorted: sorted) }
            own += rest[half...].map { Double(StressScale.level(z: $0, cutPoints: points).rank) }
        }
        Self.printed("own halves \((0..<5).map { level in 100 * Double(own.count { $0 == Double(level) }) / Double(own.count) })")
        let rest = people.flatMap { $0.dropFirst(10).filter { !$0.stressed }.map(\.z) }
        Self.printed("rest z mean \(mean(of: rest) ?? 0) sd \(sampleSD(of: rest) ?? 0)")
    }
}
