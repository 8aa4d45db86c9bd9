import Foundation
import Physiology
import Protocols
import Testing

/// The quality gate of stress on labelled people: what each term adds, and how the levels of rest are shared out.
///
/// `RESONANCE_PRINT_ACCURACY=1` prints the figures of `docs/accuracy.md`.
@Suite(.enabled(if: SharedData.has("stress/hr_resp_label_1hz.csv"), "shared/data/stress is absent"))
struct StressGateTests {
    /// Shares of `model.md` for relaxed … overload, percent, and how far a share may be from them.
    static let design = [31.0, 46, 16, 6, 1]
    /// The same by a person's own 30/75/92/98 % points.
    static let ownDesign = [30.0, 45, 17, 6, 2]
    static let tolerance = 5.0
    /// The gate of the labelled recordings.
    static let leastArea = 0.63
    /// A handful of pairs among 190,000; the standard error of such an area is 0.02.
    static let sameArea = 0.001

    static func shares(_ values: [Double], cutPoints: [Double] = StressScale.cutPoints) -> [Double] {
        var counts = [Double](repeating: 0, count: 5)
        for value in values { counts[StressScale.level(z: value, cutPoints: cutPoints).rank] += 1 }
        return counts.map { 100 * $0 / Double(values.count) }
    }

    static func printed(_ line: String) {
        if ProcessInfo.processInfo.environment["RESONANCE_PRINT_ACCURACY"] != nil { print(line) }
    }

    typealias Judged = [(z: Double, stressed: Bool)]
    static func later(_ people: [Judged]) -> Judged { people.flatMap { $0.dropFirst(StressPredictTests.warmUp) } }

    @Test func `each term is worth its place, with a past-only baseline`() throws {
        let people = try StressPerson.all()
        #expect(people.count >= 17)
        // First the heart rate against one mean, then against the same hour, then with beats where there are any.
        let flat = areaUnderCurve(Self.later(people.map { $0.judged(withBeats: false, byHour: false) }))
        let byHour = areaUnderCurve(Self.later(people.map { $0.judged(withBeats: false) }))
        let shipped = areaUnderCurve(Self.later(people.map { $0.judged(withBeats: true) }))
        Self.printed("pooled AUC: heart rate \(flat), + hour \(byHour), + HRV \(shipped)")
        #expect(shipped >= Self.leastArea)
        #expect(byHour >= flat - Self.sameArea)
        #expect(shipped >= byHour - Self.sameArea)
        // Where there are beats at all, which is where a harm would show.
        let beats = people.filter { !$0.beats.isEmpty }
        let with = areaUnderCurve(Self.later(beats.map { $0.judged(withBeats: true) }))
        let without = areaUnderCurve(Self.later(beats.map { $0.judged(withBeats: false) }))
        Self.printed("\(beats.count) people with beats: \(without) without, \(with) with HRV")
        #expect(with >= without - Self.sameArea)
    }

    /// Levels of the rest of people whom the body has known for a fortnight, by their own scale.
    ///
    /// A laboratory hour is no fortnight, so each person's rest is split: every other minute is what they were on the
    /// twenty days before, at the same time of the day, and the minutes between are judged; then the other way round.
    @Test func `levels of rest are shared out as the model says`() throws {
        var z: [Double] = []
        var personal = [Double](repeating: 0, count: 5)
        for person in try StressPerson.all() {
            let new = person.minutes(withBeats: true)
            let rest = new.indices.filter { !new[$0].stressed }
            for fold in 0...1 {
                let learnt = rest.filter { $0 % 2 == fold }
                let known = learnt.flatMap { index in
                    (1...20).map { day in
                        var minute = new[index].minute
                        minute.at = minute.at.adding(seconds: -86_400 * Double(day))
                        return minute
                    }
                }
                let judged = person.judged(withBeats: true, known: known)
                let points = StressScale.personalCutPoints(
                    of: learnt.flatMap { Array(repeating: judged[$0].z, count: 20) }, days: 20)
                for index in rest where index % 2 != fold {
                    z.append(judged[index].z)
                    personal[StressScale.level(z: judged[index].z, cutPoints: points).rank] += 1
                }
            }
        }
        #expect(z.count > 500)
        let own = personal.map { 100 * $0 / Double(z.count) }
        Self.printed("rest of known people, \(z.count) minutes, own cut points: \(own), common ones: \(Self.shares(z))")
        for (share, design) in zip(own, Self.ownDesign) {
            #expect(abs(share - design) <= Self.tolerance, "\(own) by the person's own")
        }
    }

    /// In the first hour the scale is widened by what is not known yet, so levels err on the quiet side.
    @Test func `somebody who is new is called stressed less often, not more`() throws {
        let rest = Self.later(try StressPerson.all().map { $0.judged(withBeats: true) })
            .filter { !$0.stressed }.map(\.z)
        let shares = Self.shares(rest)
        Self.printed("rest of new people, \(rest.count) minutes: \(shares)")
        #expect(shares[3] + shares[4] <= Self.design[3] + Self.design[4])
        #expect(shares[2] <= Self.design[2])
    }
}
