import Formats
import Foundation
import Physiology
import Protocols

/// Writes large files of health data, reads and computes, and says as JSON how long that took.
@main
struct HealthBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch (arguments.count > 1 ? arguments[1] : "", arguments.count) {
        case ("generate", 4):
            guard let megabytes = Int(arguments[3]), megabytes > 0 else { return usage() }
            var generator = ExportGenerator()
            try generator.write(to: arguments[2], megabytes: megabytes)
        case ("read", 3): try read(arguments[2])
        case ("beats", 4):
            guard let hours = Double(arguments[3]), (0.1...1000).contains(hours) else { return usage() }
            try BeatRecording.write(to: arguments[2], hours: hours)
        case ("hrv", 3): try tell(BeatRecording.analysed(arguments[2]))
        case ("days", 3):
            guard let years = Int(arguments[2]), (1...100).contains(years) else { return usage() }
            try days(years)
        default: usage()
        }
    }

    private static func usage() {
        FileHandle.standardError.write(
            Data(
                """
                usage: health-benchmark generate PATH MEGABYTES | read PATH | beats PATH HOURS | hrv PATH | days YEARS

                """.utf8))
        exit(64)
    }

    private static func read(_ path: String) throws {
        let clock = ContinuousClock()
        var sum = 0.0
        var calls = 0
        var tally = HealthTally()
        let time = try clock.measure {
            tally = try HealthFile.read(URL(filePath: path), progress: { _ in calls += 1 }) { (record: BodyRecord) in
                // Something must be done with a record, or the compiler may leave its making out.
                switch record {
                case .heartRate(let rate): sum += rate.bpm
                case .quantity(let quantity): sum += quantity.value
                default: sum += 1
                }
            }
        }
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let report: [String: Any] = [
            "seconds": seconds, "records": tally.taken.values.reduce(0, +), "taken": tally.taken,
            "skipped": tally.skipped, "problems": tally.problems, "progressCalls": calls, "checksum": sum,
        ]
        try tell(report)
    }

    private static func days(_ years: Int) throws {
        let life = MadeUpLife(days: years * 365)
        let clock = ContinuousClock()
        var best = Duration.seconds(3600)
        var days: [BodyDay] = []
        for _ in 0..<3 { best = min(best, clock.measure { days = life.computed() }) }
        try tell([
            "days": days.count, "segments": life.sleep.count, "readings": life.variability.count,
            "workouts": life.workouts.count, "seconds": best / .seconds(1),
        ])
    }

    private static func tell(_ report: [String: Any]) throws {
        let json = try JSONSerialization.data(withJSONObject: report, options: [.sortedKeys])
        print(String(decoding: json, as: UTF8.self))
    }
}
