import Foundation
import Physiology
import Protocols
import Testing

struct BatteryTests {
    @Test func `productive training is the middle of the battery`() {
        #expect(abs(BatteryModel.base(formPercent: -10) - 50) < 1e-9)
        #expect(abs(BatteryModel.base(formPercent: -30) - 20) < 1e-9)
        #expect(abs(BatteryModel.base(formPercent: 10) - 80) < 1e-9)
        #expect(BatteryModel.base(formPercent: -300) >= 0 && BatteryModel.base(formPercent: 300) <= 100)
        #expect(BatteryModel.formPercent(form: -8, fitness: 80) == -10)
        // A fitness of 1 would make a form of −5 a catastrophe.
        #expect(BatteryModel.formPercent(form: -5, fitness: 1) == -50)
        #expect(BatteryModel.calibrated(formPercent: -50, daysKnown: 21) == -30)
    }

    @Test func `zones have the names and colours of the specification`() {
        let zones = [0, 19, 20, 39, 40, 59, 60, 79, 80, 100].map(BatteryZone.init(battery:))
        #expect(zones == [.recovery, .recovery, .easy, .easy, .moderate, .moderate, .hard, .hard, .peak, .peak])
        #expect(
            BatteryZone.allCases.map(\.name) == [
                "Recovery", "Easy Endurance", "Tempo/Sweetspot", "Threshold/VO2max", "Race/Peak",
            ])
        #expect(BatteryZone.allCases.map(\.color) == ["#E53E3E", "#DD6B20", "#D69E2E", "#38A169", "#3182CE"])
        #expect(BatteryZone.hard.guidance == "Hard intervals OK.")
    }

    @Test func `points are smoothed, and their clamp acts`() {
        // Both signals at full: 20 · (0.6 + 0.4) = 20, cut to 12.
        #expect(BatteryAdjustment.today(variabilityZ: 3, restingZ: -3) == 12)
        #expect(BatteryAdjustment.today(variabilityZ: -9, restingZ: 9) == -12)
        #expect(abs((BatteryAdjustment.today(variabilityZ: 0.75, restingZ: nil) ?? 0) - 6) < 1e-9)
        #expect(BatteryAdjustment.today(variabilityZ: nil, restingZ: nil) == nil)
        var points = BatteryAdjustment()
        #expect(abs(points.next(day: 0, variabilityZ: 3, restingZ: -3) - 3.6) < 1e-9)
        #expect(abs(points.next(day: 1, variabilityZ: 3, restingZ: -3) - 6.12) < 1e-9)
        // A missing day carries the value on; after a week it is forgotten.
        #expect(abs(points.next(day: 2, variabilityZ: nil, restingZ: nil) - 6.12) < 1e-9)
        #expect(abs(points.next(day: 8, variabilityZ: nil, restingZ: nil) - 6.12) < 1e-9)
        #expect(points.next(day: 9, variabilityZ: nil, restingZ: nil) == 0)
    }

    private func score(_ z: Double, excess: Double = 0) -> SignalScore {
        SignalScore(count: 30, median: 4, mad: 0.1, unflooredZ: z, z: z, excess: excess)
    }

    @Test func `illness needs two signals, and two nights to be likely`() {
        var watch = IllnessWatch()
        #expect(watch.next(day: 0, variability: score(-3), resting: score(0.5)) == .none)
        #expect(watch.next(day: 1, variability: score(-2), resting: score(2)) == .watch)
        #expect(watch.next(day: 2, variability: score(-1.2), resting: score(1.1)) == .likely)
        #expect(watch.next(day: 3, variability: score(-1.2), resting: score(0.2)) == .none)
        #expect(watch.next(day: 4, variability: score(-1.2), resting: score(1.2)) == .none)
        #expect(watch.next(day: 5, variability: score(-1.6), resting: score(1.6)) == .watch)
        // A night without a reading does not make it two nights running for ever.
        #expect(watch.next(day: 8, variability: score(-1.2), resting: score(1.2)) == .none)
    }

    @Test func `a resting heart rate alone makes a watch after two nights, and never more`() {
        var watch = IllnessWatch()
        #expect(watch.next(day: 0, variability: nil, resting: score(3, excess: 5)) == .none)
        #expect(watch.next(day: 1, variability: nil, resting: score(3, excess: 5)) == .watch)
        #expect(watch.next(day: 2, variability: nil, resting: score(3, excess: 5)) == .watch)
        #expect(watch.next(day: 3, variability: nil, resting: score(1.6, excess: 2)) == .none)
    }

    @Test func `short histories say so`() {
        let series = SignalSeries(firstDay: 0, values: (0..<13).map { 4 + Double($0) / 100 } + [4.1], floor: 0.05)
        #expect(series.score(13) == nil)
        #expect(series.trend(13) == .notEnoughData)
        #expect(series.baseline(before: 13) == nil)
        let longer = SignalSeries(firstDay: 0, values: (0..<14).map { 4 + Double($0) / 100 } + [4.1], floor: 0.05)
        // Median of 4.00 … 4.13 is 4.065, their MAD 0.035: floored to 0.05.
        let score = longer.score(14)
        #expect(abs((score?.median ?? 0) - 4.065) < 1e-9)
        #expect(abs((score?.z ?? 0) - 0.6744897501960817 * 0.035 / 0.05) < 1e-9)
        #expect(abs((score?.unflooredZ ?? 0) - 0.6744897501960817 * 0.035 / 0.035) < 1e-9)
    }

    @Test func `guidance has a floor, a cap and no illness in it`() {
        let none = Guidance(.init(zone: .moderate, fitness: 0))
        #expect(none.low == 20 && abs(none.high - 27.5) < 1e-9)
        let usual = Guidance(.init(zone: .moderate, fitness: 60, fitnessAWeekAgo: 58))
        #expect(abs(usual.low - 48) < 1e-9 && abs(usual.high - 66) < 1e-9)
        // Fitness rose by 6.5 of 7: after x it is 60 + 0.0235283·(x − 60) ≤ 60.5, so x ≤ 81.25.
        let capped = Guidance(.init(zone: .peak, fitness: 60, fitnessAWeekAgo: 53.5))
        #expect(abs(capped.high - 81.2511) < 1e-3)
        #expect(capped.reasons.contains { $0.contains("may rise by 7 a week") })
        let good = Guidance(.init(zone: .moderate, fitness: 60, adjustment: 7))
        #expect(abs(good.high - 72.6) < 1e-9)
        let ill = Guidance(.init(zone: .peak, fitness: 60, adjustment: 11, illness: .watch))
        #expect(ill.low == 0 && abs(ill.high - 48) < 1e-9)
        let likely = Guidance(.init(zone: .peak, fitness: 60, adjustment: 11, illness: .likely))
        #expect(likely.low == 0 && abs(likely.high - 15) < 1e-9)
        #expect(likely.sentence.contains("rest today"))
        let strained = Guidance(.init(zone: .hard, fitness: 60, adjustment: -8))
        #expect(abs(strained.low - 52.8) < 1e-9 && abs(strained.high - 67.2) < 1e-9)
    }

    @Test(arguments: [IllnessSign.watch, .likely], BatteryZone.allCases)
    func `an illness sign never raises guidance, and never names an illness`(sign: IllnessSign, zone: BatteryZone) {
        for fitness in [0.0, 20, 80] {
            for adjustment in [-12.0, 0, 12] {
                let well = Guidance(.init(zone: zone, fitness: fitness, adjustment: min(adjustment, 0)))
                let ill = Guidance(.init(zone: zone, fitness: fitness, adjustment: adjustment, illness: sign))
                #expect(ill.high <= well.high && ill.low <= well.low)
                for word in ["ill ", "sick", "infection", "disease", "virus"] {
                    #expect(!(ill.sentence + ill.reasons.joined()).lowercased().contains(word))
                }
            }
        }
    }

    @Test func `the morning says the battery and the target`() {
        var reading = BatteryReading(
            at: Timestamp(milliseconds: 0), day: "2026-01-31", battery: 78, zone: .hard, fitness: 60, fatigue: 50,
            form: 10, formPercent: 16, rampPerWeek: 2, guidanceLow: 66, guidanceHigh: 84,
            guidance: "Hard intervals OK.",
            illness: .none, calibratingDays: nil, adjustment: 0, confidence: 0.9, reasons: [])
        let message = MorningMessage(reading)
        #expect(message.title == "Battery 78: Threshold/VO2max")
        #expect(message.text == "Today's target: load 66–84. Hard intervals OK.")
        reading.calibratingDays = 1
        #expect(MorningMessage(reading).text.hasPrefix("1 more day until form is known."))
        #expect(Sparkline.battery([45, 50, nil, 78]) == "▄▅ ▇ 45→78")
    }
}
