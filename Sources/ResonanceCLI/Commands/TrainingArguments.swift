import ArgumentParser
import Formats
import Physiology

/// What rides and load series are measured against.
struct TrainingArguments: ParsableArguments {
    @Option(help: "Rides: functional threshold power in W; without it what the device thought.") var ftp: Double?
    @Option(help: "Rides: resting heart rate.") var rest: Double?
    @Option(help: "Rides: maximal heart rate.") var max: Double?
    @Option(help: "Rides: heart rate at the threshold.") var thresholdHr: Double?
    @Option(help: "Runs: threshold speed in m/s.") var thresholdRun: Double?
    @Option(help: "Swims: threshold speed in m/s.") var thresholdSwim: Double?
    @Option(help: "Body mass in kg, for an estimate of VO2max from rides.") var mass: Double?
    @Option(help: "female or male, for TRIMP.") var sex: String?
    @Option(help: "Load series: exponential, trainingpeaks or intervals.")
    var convention: FitnessConventionArgument = .exponential

    enum FitnessConventionArgument: String, ExpressibleByArgument, CaseIterable {
        case exponential, trainingpeaks, intervals
    }

    func validate() throws {
        let figures: [(String, Double?, ClosedRange<Double>)] = [
            ("--ftp", ftp, 20...1000), ("--rest", rest, 25...120), ("--max", max, 90...240),
            ("--threshold-hr", thresholdHr, 60...230), ("--threshold-run", thresholdRun, 0.5...8),
            ("--threshold-swim", thresholdSwim, 0.2...3), ("--mass", mass, 20...300),
        ]
        for (name, value, range) in figures {
            if let value, !range.contains(value) {
                throw ValidationError("\(name) \(value): give \(Int(range.lowerBound))…\(Int(range.upperBound))")
            }
        }
        if let rest, let max, rest >= max { throw ValidationError("--rest must lie below --max") }
        if let sex, !["female", "male"].contains(sex) { throw ValidationError("--sex \(sex): give female or male") }
    }

    var options: TrainingOptions {
        TrainingOptions(
            thresholdPowerW: ftp, restingBpm: rest, maximumBpm: max, thresholdBpm: thresholdHr,
            thresholdRunMps: thresholdRun, thresholdSwimMps: thresholdSwim, massKg: mass, sex: sex,
            convention: FitnessConvention(rawValue: convention.rawValue) ?? .exponential)
    }
}
