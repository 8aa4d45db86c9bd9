import Foundation
import Physiology
import Protocols
import Testing

struct HeartScaleTests {
    static let now = Timestamp(milliseconds: 1_772_528_400_000)

    static func samples(every seconds: Double, count: Int, bpm: (Int) -> Double) -> [HeartRate] {
        (0..<count).map { index in
            HeartRate(
                at: now.adding(seconds: -seconds * Double(count - 1 - index)), bpm: bpm(index), source: "test")
        }
    }

    @Test func `test_heartRateToArousal_atResting_returnsLowArousal`() {
        #expect(HeartScale(restingBpm: 60, maximumBpm: 180).arousal(bpm: 60) == 0)
    }

    @Test func `test_heartRateToArousal_atMax_returnsHighArousal`() {
        #expect(HeartScale(restingBpm: 60, maximumBpm: 180).arousal(bpm: 180) == 1)
    }

    @Test func `an ordinary still moment is 0.3 and the scale is monotone`() {
        // x = 10/120; γ = ln 0.3 / ln (1/12) = 0.4845.
        let scale = HeartScale(restingBpm: 60, maximumBpm: 180, stillBpm: 70)
        #expect(abs(scale.gamma - 0.48451) < 1e-4)
        #expect(abs(scale.arousal(bpm: 70) - 0.3) < 1e-12)
        let values = stride(from: 50.0, through: 190, by: 0.5).map { scale.arousal(bpm: $0) }
        #expect(values == values.sorted())
        #expect(values.first == 0 && values.last == 1)
    }

    @Test(arguments: [(60.1, 0.35), (150.0, 1.0), (59.0, 0.35), (180.0, 0.35)])
    func `the exponent stays within its range`(still: Double, gamma: Double) {
        #expect(HeartScale(restingBpm: 60, maximumBpm: 180, stillBpm: still).gamma == gamma)
    }

    @Test func `a rising heart adds at most 0.1`() throws {
        let scale = HeartScale(restingBpm: 60, maximumBpm: 180)
        let steady = scale.arousal(of: Self.samples(every: 5, count: 60) { _ in 90 }, now: Self.now)
        #expect(abs(steady.value - 0.25) < 1e-12)
        #expect(steady.confidence == 1)
        // 1 bpm each 5 s = 12 bpm a minute = 0.1 of the reserve.
        let rising = scale.arousal(of: Self.samples(every: 5, count: 60) { 60 + Double($0) }, now: Self.now)
        #expect(abs(try #require(rising.trendBpmPerMinute) - 12) < 1e-9)
        #expect(abs(rising.value - ((116.0 - 60) / 120 + 0.1)) < 1e-9)
    }

    @Test func `too few samples have no trend, none have no confidence`() {
        let scale = HeartScale(restingBpm: 60, maximumBpm: 180)
        let two = scale.arousal(of: Self.samples(every: 200, count: 2) { 60 + Double($0) * 40 }, now: Self.now)
        #expect(two.trendBpmPerMinute == nil)
        #expect(abs(two.confidence - 0.2) < 1e-12)
        let short = scale.arousal(of: Self.samples(every: 1, count: 60) { 60 + Double($0) }, now: Self.now)
        #expect(short.trendBpmPerMinute == nil)
        let none = scale.arousal(of: [], now: Self.now)
        #expect(none.value == 0.5 && none.confidence == 0)
    }

    @Test func `confidence halves each minute of silence`() {
        let scale = HeartScale(restingBpm: 60, maximumBpm: 180)
        let samples = Self.samples(every: 1, count: 60) { _ in 80 }
        #expect(abs(scale.arousal(of: samples, now: Self.now.adding(seconds: 60)).confidence - 0.5) < 1e-12)
        #expect(abs(scale.arousal(of: samples, now: Self.now.adding(seconds: 120)).confidence - 0.25) < 1e-12)
    }
}
