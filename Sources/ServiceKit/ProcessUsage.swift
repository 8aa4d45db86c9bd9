import CPosix
import Foundation
import Protocols

/// What this process uses of the machine, under the names that Prometheus clients agree on.
///
/// Source of the names: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
package enum ProcessUsage {
    package static func samples() -> [ProcessMetrics.Sample] {
        var samples = [ProcessMetrics.Sample("process_cpu_seconds_total", .counter, cpuSeconds())]
        if let bytes = residentBytes(text("/proc/self/statm")) {
            samples.append(.init("process_resident_memory_bytes", .gauge, bytes))
        }
        if let seconds = startSeconds(stat: text("/proc/self/stat"), boot: text("/proc/stat")) {
            samples.append(.init("process_start_time_seconds", .gauge, seconds))
        }
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            samples.append(.init("process_open_fds", .gauge, Double(files.count)))
        }
        return samples
    }

    static func cpuSeconds() -> Double {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return 0 }
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// - Parameter statm: `/proc/<pid>/statm`; its second field counts pages (proc(5)).
    static func residentBytes(_ statm: String) -> Double? {
        let fields = statm.split(separator: " ")
        guard fields.count > 1, let pages = Double(fields[1]) else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Unix time of the start, in seconds: field 22 of `/proc/<pid>/stat`, in ticks after `btime` of `/proc/stat`
    /// (proc(5)).
    static func startSeconds(stat: String, boot: String) -> Double? {
        // The name of the program stands in parentheses and may hold anything.
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]),
            let line = boot.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let booted = Double(line.dropFirst("btime ".count))
        else { return nil }
        return booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Files of the kernel have no size: they are read until their end.
    private static func text(_ path: String) -> String {
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
