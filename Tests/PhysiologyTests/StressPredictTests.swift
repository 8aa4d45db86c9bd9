import Foundation
import Physiology
import Protocols
import Testing

/// Labelled recordings of people under stress and at rest, one heart rate a second, beats of the wrist where there are any.
struct StressPerson {
    var name: String
    /// Seconds since 1970, beats per minute, true = under stress.
    var heart: [(second: Int, bpm: Double, stressed: Bool)] = []
    /// Moment of each beat and the interval before it, seconds.
    var beats: [(at: Double, interval: Double)] = []

    static func all() throws -> [StressPerson] {
        var people: [Int: StressPerson] = [:]
        let lines = try SharedData.text("stress/hr_resp_label_1hz.csv").split(whereSeparator: \.isNewline).dropFirst()
        for line in lines {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == 5, let id = Int(fields[0]), let bpm = Double(fields[1]),
                let second = Double(fields[3]), let label = Int(fields[4])
            else { continue }
            people[id, default: StressPerson(name: "S" + String(format: "%02d", id))].heart
                .append((Int(second), bpm, label == 1))
        }
        for (id, person) in people {
            people[id]?.heart.sort { $0.second < $1.second }
            guard SharedData.has("stress/ibi/\(person.name).csv") else { continue }
            let rows = try SharedData.text("stress/ibi/\(person.name).csv").split(whereSeparator: \.isNewline)
                .map { $0.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) } }
            guard let start = rows.first?.first ?? nil else { continue }
            people[id]?.beats = rows.dropFirst().compactMap { row in
                guard row.count == 2, let offset = row[0], let interval = row[1] else { return nil }
                return (start + offset, interval)
            }
        }
        return people.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Stress z of each minute, judged with what is known before it, as the live estimator does it.
    ///
    /// - Parameter known: still minutes of the days before; nil for somebody who is new, whose past is the recording.
    func judged(withBeats: Bool, byHour: Bool = true, known: [StillMinute]? = nil) -> [(z: Double, stressed: Bool)] {
        minutes(withBeats: withBeats, byHour: byHour, known: known).map { ($0.z, $0.stressed) }
    }

    /// The same with what was measured in the minute.
    func minutes(withBeats: Bool, byHour: Bool = true, known: [StillMinute]? = nil)
        -> [(z: Double, stressed: Bool, minute: StillMinute)]
    {
        guard let first = heart.first?.second, let last = heart.last?.second else { return [] }
        let clock = LocalClock(timeZone: .gmt)
        let builder = BaselineBuilder(profile: Profile(), clock: clock)
        var estimator = StressEstimator()
        var past: [StillMinute] = []
        var result: [(z: Double, stressed: Bool, minute: StillMinute)] = []
        var nextBeat = 0
        var previousBeat = -Double.infinity
        for start in stride(from: first, to: last - 58, by: 60) {
            let minute = heart.filter { $0.second >= start && $0.second < start + 60 }
            guard minute.count >= 45 else { continue }
            for sample in minute {
                estimator.add(
                    HeartRate(at: Timestamp(milliseconds: Int64(sample.second) * 1000), bpm: sample.bpm, source: "test")
                )
            }
            for second in stride(from: start, to: start + 60, by: 5) {
                estimator.add(
                    Motion(
                        at: Timestamp(milliseconds: Int64(second) * 1000), intensity: 0, steps: 0, activity: .stationary
                    ))
            }
            var window = BeatWindow()
            while withBeats, nextBeat < beats.count, beats[nextBeat].at < Double(start + 60) {
                let beat = beats[nextBeat]
                let message = RRIntervals(
                    startAt: Timestamp(milliseconds: Int64(((beat.at - beat.interval) * 1000).rounded())),
                    rrMs: [beat.interval * 1000], gapBefore: abs(beat.at - previousBeat - beat.interval) > 0.02,
                    source: "test")
                estimator.add(message)
                window.add(message)
                previousBeat = beat.at
                nextBeat += 1
            }
            let end = Timestamp(milliseconds: Int64(start + 59) * 1000)
            var baseline = builder.baseline(at: end, minutes: known ?? past)
            if !byHour { baseline.stillBpmByHour = Array(repeating: nil, count: 24) }
            let estimate = estimator.estimate(at: end, baseline: baseline, clock: clock)
            let reading = window.reading(at: end)
            let measured = StillMinute(
                at: Timestamp(milliseconds: Int64(start) * 1000),
                bpm: minute.reduce(0) { $0 + $1.bpm } / Double(minute.count), lnRmssd: reading?.lnRmssd,
                sdnnMs: reading?.sdnnMs)
            result.append((estimate.z, minute.count(where: \.stressed) * 2 >= minute.count, measured))
            past.append(measured)
        }
        return result
    }
}

/// Area under the ROC curve: the share of pairs in which the stressed minute has the higher value, ties half.
func areaUnderCurve(_ judged: [(z: Double, stressed: Bool)]) -> Double {
    let stressed = judged.filter(\.stressed).map(\.z)
    let calm = judged.filter { !$0.stressed }.map(\.z).sorted()
    func below(_ value: Double, orEqual: Bool) -> Int {
        var low = 0
        var high = calm.count
        while low < high {
            let middle = (low + high) / 2
            if calm[middle] < value || (orEqual && calm[middle] == value) { low = middle + 1 } else { high = middle }
        }
        return low
    }
    let sum = stressed.reduce(0.0) {
        $0 + Double(below($1, orEqual: false) + below($1, orEqual: true)) / 2
    }
    return sum / Double(stressed.count * calm.count)
}

@Suite(.enabled(if: SharedData.has("stress/hr_resp_label_1hz.csv"), "shared/data/stress is absent"))
struct StressPredictTests {
    /// Minutes of a recording in which there is hardly a past to compare with.
    static let warmUp = 10

    @Test
    func `stress z tells stressed minutes from calm ones with what was known before them`() throws {
        let people = try StressPerson.all().map { $0.judged(withBeats: false) }
        #expect(people.count >= 17)
        let area = areaUnderCurve(people.flatMap { $0.dropFirst(Self.warmUp) })
        #expect(area >= 0.63, "pooled AUC \(area)")
        // From the first minute on, with nothing but the population prior at first.
        let fromTheStart = areaUnderCurve(people.flatMap(\.self))
        #expect(fromTheStart >= 0.6, "pooled AUC \(fromTheStart)")
    }

    @Test
    func `adding HRV does not lower the separation`() throws {
        let people = try StressPerson.all().filter { !$0.beats.isEmpty }
        let without = areaUnderCurve(people.flatMap { $0.judged(withBeats: false) })
        let with = areaUnderCurve(people.flatMap { $0.judged(withBeats: true) })
        // The standard error of such an area is 0.02; 0.001 is a handful of pairs among 190,000.
        #expect(with >= without - 0.001, "AUC \(with) with HRV, \(without) without")
    }

    @Test
    func `the area under the curve counts ordered pairs`() {
        // Of the 2 × 3 pairs 4 are ordered and one is tied: 4.5 / 6.
        let judged: [(z: Double, stressed: Bool)] = [(2, true), (1, true), (0, false), (1, false), (1.5, false)]
        #expect(abs(areaUnderCurve(judged) - 4.5 / 6) < 1e-12)
    }
}
