import Foundation

/// Resident memory of one life of a process over its time.
struct MemoryTrail: Sendable {
    let name: String
    let life: Int
    private(set) var samples: [(seconds: Double, bytes: Double)] = []

    /// A start fills caches and pools; what comes after this many seconds is judged.
    static let warmUpSeconds = 60.0
    /// Shorter trails than this, after the warm-up, say nothing.
    static let leastSeconds = 120.0
    /// Growth that is called a leak, in MB a minute: what one message in twenty would be if it stayed, at 1,000 a second
    /// of 300 bytes.
    static let boundMBPerMinute = 0.9

    init(name: String, life: Int) {
        self.name = name
        self.life = life
    }

    mutating func add(seconds: Double, bytes: Double) { samples.append((seconds, bytes)) }

    var newestMB: Double { (samples.last?.bytes ?? 0) / 1e6 }

    /// Slope of the line of least squares, MB a minute; nil when the trail is too short.
    var growthMBPerMinute: Double? {
        let judged = samples.filter { $0.seconds >= Self.warmUpSeconds }
        guard let first = judged.first, let last = judged.last, last.seconds - first.seconds >= Self.leastSeconds else {
            return nil
        }
        let count = Double(judged.count)
        let meanX = judged.reduce(0) { $0 + $1.seconds } / count
        let meanY = judged.reduce(0) { $0 + $1.bytes } / count
        let covariance = judged.reduce(0) { $0 + ($1.seconds - meanX) * ($1.bytes - meanY) }
        let variance = judged.reduce(0) { $0 + ($1.seconds - meanX) * ($1.seconds - meanX) }
        return variance > 0 ? covariance / variance * 60 / 1e6 : 0
    }

    static func residentBytes(_ pid: Int32) -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}
