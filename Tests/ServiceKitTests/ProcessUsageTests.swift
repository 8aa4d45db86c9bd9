import Foundation
import Protocols
import Testing

@testable import ServiceKit

struct ProcessUsageTests {
    @Test func `reads the kernel's figures, whatever the program is called`() {
        #expect(ProcessUsage.residentBytes("1000 25 3 1 0 9 0") == 25 * Double(sysconf(Int32(_SC_PAGESIZE))))
        #expect(ProcessUsage.residentBytes("") == nil)
        // Fields 3 to 22 of proc(5); the last is the start in ticks after boot.
        let rest = (3...21).map { "\($0)" }.joined(separator: " ") + " 4200 0"
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        #expect(
            ProcessUsage.startSeconds(stat: "7 (a) b (c) " + rest, boot: "cpu 1\nbtime 1000\n") == 1000 + 4200 / ticks)
        #expect(ProcessUsage.startSeconds(stat: "7 (a) 3 4", boot: "btime 1000") == nil)
    }

    @Test func `this very process has all of them`() throws {
        let samples = Dictionary(uniqueKeysWithValues: ProcessUsage.samples().map { ($0.name, $0.value) })
        #expect(try #require(samples["process_resident_memory_bytes"]) > 1_000_000)
        #expect(try #require(samples["process_cpu_seconds_total"]) > 0)
        #expect(try #require(samples["process_open_fds"]) >= 3)
        let start = try #require(samples["process_start_time_seconds"])
        #expect(start > 1_700_000_000 && start <= Date.now.timeIntervalSince1970 + 1)
    }
}
