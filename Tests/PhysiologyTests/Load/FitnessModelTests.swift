import Foundation
import Physiology
import Testing

struct FitnessModelTests {
    /// Closed forms for a constant load of 100 from 0: 100(1 − e^(−d/N)) and 100(1 − (1 − 1/N)^d).
    @Test(arguments: [1, 7, 42, 90])
    func `a constant load follows the closed forms`(day: Int) {
        let loads = [Double](repeating: 100, count: day)
        let smooth = FitnessModel(convention: .exponential, start: .zero).days(loads, firstDay: 0)
        #expect(abs((smooth.last?.fitness ?? 0) - 100 * (1 - exp(-Double(day) / 42))) < 1e-9)
        #expect(abs((smooth.last?.fatigue ?? 0) - 100 * (1 - exp(-Double(day) / 7))) < 1e-9)
        let linear = FitnessModel(convention: .trainingpeaks, start: .zero).days(loads, firstDay: 0)
        #expect(abs((linear.last?.fitness ?? 0) - 100 * (1 - pow(41.0 / 42, Double(day)))) < 1e-9)
    }

    @Test func `form is of the morning, except where the convention says evening`() {
        let loads = [100.0, 0, 50]
        let own = FitnessModel(convention: .exponential, start: .zero).days(loads, firstDay: 0)
        let evening = FitnessModel(convention: .intervals, start: .zero).days(loads, firstDay: 0)
        #expect(own[0].form == 0)
        #expect(own[1].form == own[0].fitness - own[0].fatigue)
        #expect(evening[1].form == evening[1].fitness - evening[1].fatigue)
    }

    @Test func `the start is the mean per calendar day, not per workout`() {
        // 100 every second day: 50 a day.
        let loads = (0..<60).map { $0.isMultiple(of: 2) ? 100.0 : 0 }
        let days = FitnessModel().days(loads, firstDay: 0)
        #expect(days.allSatisfy { abs($0.fitness - 50) < 5 })
        // Ten days of 50, as if 18 more of rest were known: 500 / 28, then one day of 1 − e^(−1/42) towards 100.
        let short = FitnessModel().days(Array(loads.prefix(10)), firstDay: 0)
        #expect(abs((short.first?.fitness ?? 0) - (17.857143 + (100 - 17.857143) * 0.0235283)) < 1e-4)
        let own = FitnessModel(start: .own(fitness: 80, fatigue: 60)).days([0], firstDay: 0)
        #expect(own[0].form == 20)
    }

    @Test(arguments: FitnessConvention.allCases)
    func `a rest day never raises fitness`(convention: FitnessConvention) {
        var random = SplitMix64(seed: 7)
        for start in [FitnessModel.Start.zero, .usualLoad, .own(fitness: 70, fatigue: 90)] {
            for _ in 0..<50 {
                var loads = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                    Bool.random(using: &random) ? Double.random(in: 0...300, using: &random) : 0
                }
                let days = FitnessModel(convention: convention, start: start).days(loads, firstDay: 0)
                for (today, yesterday) in zip(days.dropFirst(), days) where today.load == 0 {
                    #expect(today.fitness <= yesterday.fitness && today.fatigue <= yesterday.fatigue)
                }
                loads.append(0)
                let rested = FitnessModel(convention: convention, start: start).days(loads, firstDay: 0)
                #expect((rested.last?.fitness ?? 0) <= (days.last?.fitness ?? 0) + 1e-12)
            }
        }
    }

    @Test(
        .enabled(if: SharedData.has("daily/reference.json"), "needs the shared data folder: set RESONANCE_SHARED_DATA"),
        arguments: [
            ("trainingpeaks_start0", FitnessConvention.trainingpeaks), ("goldencheetah_start0", .exponential),
            ("intervals_icu_start0", .intervals),
        ])
    func `three conventions agree with the reference to a millionth`(
        key: String, convention: FitnessConvention
    ) throws {
        let reference = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: SharedData.url("daily/reference.json")))
                as? [String: Any])
        for file in ["hrv4t_android_2017_with_tss.csv", "hrv4t_android_2017_with_illness.csv"] {
            let pmc = try #require((reference[file] as? [String: Any])?["pmc"] as? [String: Any])
            let days = try #require(pmc[key] as? [[String: Any]])
            let loads = days.map { $0["tss"] as? Double ?? .nan }
            let ours = FitnessModel(convention: convention, start: .zero).days(loads, firstDay: 0)
            for (one, expected) in zip(ours, days) {
                #expect(abs(one.fitness - (expected["ctl"] as? Double ?? .nan)) <= 1e-6)
                #expect(abs(one.fatigue - (expected["atl"] as? Double ?? .nan)) <= 1e-6)
                #expect(abs(one.form - (expected["tsb"] as? Double ?? .nan)) <= 1e-6)
            }
        }
    }
}
