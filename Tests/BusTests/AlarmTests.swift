import Protocols
import Testing

@testable import Bus

/// The sleep of an idle process: long, together with the others, and ended at once when something is to be done.
struct AlarmTests {
    @Test(.timeLimit(.minutes(1))) func `a ring ends a sleep, and the next one when nobody slept`() async {
        let alarm = Alarm()
        alarm.ring()
        await alarm.sleep(for: .seconds(3600))
        let sleeper = Task { await alarm.sleep(for: .seconds(3600)) }
        alarm.ring()
        await sleeper.value
        let cancelled = Task { await alarm.sleep(for: .seconds(3600)) }
        cancelled.cancel()
        await cancelled.value
    }

    @Test(
        arguments: [
            (nowNs: 1_300_000_000, periodMs: 1000, leftMs: 700), (1_300_000_000, 250, 200), (2_000_000_000, 1000, 1000),
            (1_999_900_000, 1000, 1000), (1_999_900_000, 5000, 3000),
        ] as [(nowNs: Int64, periodMs: Int, leftMs: Int)])
    func `processes wake at the same multiples, never twice for one`(nowNs: Int64, periodMs: Int, leftMs: Int) {
        let left = Duration.untilNextMultiple(of: .milliseconds(periodMs), nowNs: nowNs)
        #expect(abs(left / .milliseconds(1) - Double(leftMs)) < 0.2)
    }

    @Test func `a heartbeat is due once in each second, whether its timer was early or late`() {
        var core = PeerCore(identity: PeerIdentity(name: .body, epoch: 3), subscriptions: [])
        func moment(_ ms: Int64) -> Moment { Moment(wallNs: ms * 1_000_000, monotonicNs: ms * 1_000_000) }
        core.handle(.linkUp, now: moment(1_000_300))
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: moment(1_000_301))
        core.handle(.published(.control("~sync/3", epoch: 9, hubEpoch: 9)), now: moment(1_000_302))
        var beats: [Int64] = []
        for ms in [1_000_400, 1_000_500, 1_000_999, 1_001_000, 1_001_400, 1_002_001, 1_002_999, 1_003_000] as [Int64] {
            core.outgoing = []
            core.hubHeardNs = ms * 1_000_000
            core.tick(now: moment(ms), loopLagMs: 0, queueDepths: [:])
            if core.outgoing.contains(where: { $0.topic == "sys/heartbeat/body" }) { beats.append(ms) }
        }
        #expect(beats == [1_000_400, 1_000_999, 1_002_001, 1_002_999])
    }
}
