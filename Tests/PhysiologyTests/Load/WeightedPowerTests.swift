import Physiology
import Protocols
import Testing

struct WeightedPowerTests {
    private func series(_ watts: [Double], from second: Int64 = 0) -> [(at: Timestamp, value: Double)] {
        watts.enumerated().map { (Timestamp(milliseconds: (second + Int64($0.offset)) * 1000), $0.element) }
    }

    @Test func `an even effort is weighted as itself`() {
        let even = SecondSeries(series(Array(repeating: 200, count: 120)))
        #expect(abs((WeightedPower.value(of: even) ?? 0) - 200) < 1e-9)
    }

    /// 30 s at 100 W, then 30 s at 300 W: windows of (100 · (30 − k) + 300 · k)/30; fourth root of their mean fourth power
    /// computed with Python.
    @Test func `windows are means over complete half minutes`() throws {
        let steps = SecondSeries(series(Array(repeating: 100, count: 30) + Array(repeating: 300, count: 30)))
        let means = steps.completeWindowMeans(length: 30)
        #expect(means.count == 31)
        #expect(means.first == 100 && abs((means.last ?? 0) - 300) < 1e-9)
        let byHand = (0...30).map { k in 100 + 20 * Double(k) / 3 }
        for (mean, expected) in zip(means, byHand) { #expect(abs(mean - expected) < 1e-9) }
        #expect(abs((WeightedPower.value(of: steps) ?? 0) - 223.0694887793096) < 1e-9)
    }

    @Test func `a window never reaches over a pause, and zeros count`() {
        // 40 s, a pause of a minute, 20 s: the second stretch fills no window.
        let paused = SecondSeries(
            series(Array(repeating: 0, count: 20) + Array(repeating: 240, count: 20))
                + series(Array(repeating: 900, count: 20), from: 100))
        #expect(paused.gaps == 1)
        #expect(paused.completeWindowMeans(length: 30).count == 11)
        // The last window holds 10 zeros and 20 × 240.
        #expect(abs((paused.completeWindowMeans(length: 30).last ?? 0) - 160) < 1e-9)
    }

    @Test func `a device that writes every five seconds has no pause at five`() {
        let slow = (0..<20).map { (at: Timestamp(milliseconds: Int64($0) * 5000), value: Double($0)) }
        let series = SecondSeries(slow)
        #expect(series.gaps == 0)
        #expect(series.seconds == 96)
        #expect(series.stretches[0][4] == 0 && series.stretches[0][5] == 1)
    }

    @Test func `nothing shorter than half a minute has a weighted power`() {
        #expect(WeightedPower.value(of: SecondSeries(series(Array(repeating: 200, count: 29)))) == nil)
        #expect(WeightedPower.value(of: SecondSeries([])) == nil)
    }
}
