import Testing

@testable import ResonanceCLI

struct RateMeterTests {
    @Test func `rate, jitter and bytes agree with sums done by hand`() throws {
        var meter = RateMeter(topic: "bio/rr/me", window: 10)
        // Gaps of 1, 1 and 2 s; 100 bytes each, the last 400.
        for (second, bytes) in [(0, 100), (1, 100), (2, 100), (4, 400)] {
            meter.add(ns: Int64(second) * 1_000_000_000, bytes: bytes)
        }
        let summary = meter.summary
        #expect(summary.messages == 4)
        #expect(summary.hz == 0.75)
        #expect(summary.minSeconds == 1 && summary.maxSeconds == 2)
        #expect(abs(try #require(summary.deviationSeconds) - 0.4714045) < 1e-6)
        #expect(summary.bytesPerSecond == 150)
        #expect(summary.minBytes == 100 && summary.maxBytes == 400 && summary.meanBytes == 175)
    }

    @Test func `one message has no rate, and old ones leave the window`() {
        var meter = RateMeter(topic: "x", window: 2)
        meter.add(ns: 0, bytes: 1)
        #expect(meter.summary.hz == nil)
        meter.add(ns: 10_000_000_000, bytes: 1)
        meter.add(ns: 10_500_000_000, bytes: 1)
        #expect(meter.summary.hz == 2)
        #expect(meter.summary.messages == 3)
    }
}
