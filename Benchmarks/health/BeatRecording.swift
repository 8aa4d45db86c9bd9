import Formats
import Foundation
import Physiology

/// A day and night of heart beats with some that came too early and some that were missed; the same every time.
enum BeatRecording {
    /// Writes intervals in whole milliseconds, one a line.
    ///
    /// - Throws: the error of the system when the file cannot be written.
    static func write(to path: String, hours: Double) throws {
        var random = SplitMix64(seed: 24)
        var text = ""
        var (seconds, index) = (0.0, 0)
        while seconds < hours * 3600 {
            // Breathing, the slower waves of blood pressure, the course of the day, and chance.
            let slow = 90 * sin(seconds / 13_750) + 25 * sin(seconds / 1.6) + 20 * sin(seconds / 10)
            var interval = 860 + slow + Double.random(in: -15...15, using: &random)
            if index % 400 == 200 { interval *= 0.7 }
            if index % 400 == 201 { interval *= 1.3 }
            if index % 3000 == 1500 { interval *= 2 }
            text += "\(Int(interval.rounded()))\n"
            seconds += interval / 1000
            index += 1
        }
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    /// Reads and analyses such a file.
    ///
    /// - Returns: the figures, with seconds of reading and of computing.
    /// - Throws: ``FormatError``.
    static func analysed(_ path: String) throws -> [String: Any] {
        let clock = ContinuousClock()
        var series: RRSeries?
        let reading = try clock.measure { series = try RRSeries.read(URL(filePath: path)) }
        guard let series else { return [:] }
        var best = Duration.seconds(3600)
        var report = HRVAnalysis.report(series.beats)
        for _ in 0..<5 { best = min(best, clock.measure { report = HRVAnalysis.report(series.beats) }) }
        return [
            "beats": report.n, "sdnnMs": report.sdnnMs ?? 0, "rmssdMs": report.rmssdMs ?? 0,
            "artefacts": report.artefacts.count, "readSeconds": reading / .seconds(1), "seconds": best / .seconds(1),
        ]
    }
}
