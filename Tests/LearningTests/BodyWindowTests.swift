import Foundation
import Learning
import Protocols
import Testing

struct BodyWindowTests {
    private let start = Timestamp(milliseconds: 1_000_000)
    private var end: Timestamp { start.adding(seconds: 180) }

    private func samples(_ pairs: [(Double, Double)]) -> [BodyWindow.Sample] {
        pairs.map { BodyWindow.Sample(at: start.adding(seconds: $0.0), value: $0.1) }
    }

    @Test func `takes the median of the thirty seconds around start and end`() throws {
        let heart = samples([
            (-16, 200), (-15, 60), (0, 70), (15, 62), (16, 10), (165, 80), (170, 84), (180, 200), (195, 82), (196, 0),
        ])
        let window = try #require(
            BodyWindow.measure(
                heartRate: heart, motion: samples([(0, 0.2), (90, 0.4), (180, 0.6)]), from: start, to: end))
        #expect(window.bpmStart == 62)
        #expect(window.bpmEnd == 83)
        #expect(window.seconds == 180)
        #expect(abs(window.motionMean - 0.4) < 1e-12)
        #expect(window.motionStart == 0.2 && window.motionEnd == 0.6)
    }

    @Test func `two samples on a side, or a short play, make a bad window`() {
        let good = samples([(0, 60), (1, 60), (2, 60), (178, 70), (179, 70), (180, 70)])
        #expect(BodyWindow.measure(heartRate: good, motion: [], from: start, to: end) != nil)
        #expect(BodyWindow.measure(heartRate: Array(good.dropFirst()), motion: [], from: start, to: end) == nil)
        #expect(BodyWindow.measure(heartRate: Array(good.dropLast()), motion: [], from: start, to: end) == nil)
        #expect(BodyWindow.measure(heartRate: good, motion: [], from: start, to: start.adding(seconds: 30)) == nil)
    }

    @Test func `a heart that falls back after stairs is not credited to the song`() {
        // Started 30 bpm above usual and moving, ended still: most of the fall was to be expected.
        var expected = ExpectedChange(usualBpm: 70)
        let stairs = BodyWindow(
            bpmStart: 100, bpmEnd: 80, motionStart: 0.3, motionEnd: 0, motionMean: 0.1, seconds: 240)
        let beyond = expected.judge(stairs)
        #expect(abs(beyond.bpm) < 8)
        // The same fall from a usual level, still all the time, is the song's.
        let rest = BodyWindow(bpmStart: 70, bpmEnd: 60, seconds: 240)
        let resting = expected.judge(rest)
        #expect(resting.bpm < -7)
    }

    @Test func `learns a drift that every song has`() {
        var expected = ExpectedChange(usualBpm: 70)
        for _ in 0..<200 { _ = expected.judge(BodyWindow(bpmStart: 70, bpmEnd: 72, seconds: 240)) }
        let last = expected.judge(BodyWindow(bpmStart: 70, bpmEnd: 72, seconds: 240))
        #expect(abs(last.bpm) < 0.2)
    }
}
