import Foundation
import ServiceKit
import Synchronization
import Testing

struct WatchdogTests {
    @Test func `bites once the main loop has been silent for longer than the limit`() async {
        let silence = Mutex(0.1)
        let (bites, bite) = AsyncStream.makeStream(of: Double.self)
        let asked = Mutex(0)
        Watchdog(
            limit: 0.2,
            silence: {
                asked.withLock { $0 += 1 }
                return silence.withLock { $0 }
            },
            bite: { bite.yield($0) }
        ).start()
        while asked.withLock({ $0 }) < 3 { await Task.yield() }
        silence.withLock { $0 = 0.5 }
        for await bitten in bites {
            #expect(bitten == 0.5)
            break
        }
    }
}
