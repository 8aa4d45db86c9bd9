import Physiology

/// What a record type of an Apple Health export is to us.
enum AppleType {
    case heartRate, restingHeartRate, variability, sleep
    case quantity(QuantityRecord.Kind, HealthDimension, ClosedRange<Double>)
    case unused

    init(_ name: String) {
        self =
            switch name {
            case "HKQuantityTypeIdentifierHeartRate": .heartRate
            case "HKQuantityTypeIdentifierRestingHeartRate": .restingHeartRate
            case "HKQuantityTypeIdentifierHeartRateVariabilitySDNN": .variability
            case "HKCategoryTypeIdentifierSleepAnalysis": .sleep
            case "HKQuantityTypeIdentifierStepCount": .quantity(.steps, .count, 0...200_000)
            case "HKQuantityTypeIdentifierActiveEnergyBurned": .quantity(.activeEnergy, .energy, 0...50_000)
            case "HKQuantityTypeIdentifierBasalEnergyBurned": .quantity(.basalEnergy, .energy, 0...50_000)
            case "HKQuantityTypeIdentifierBodyMass": .quantity(.bodyMass, .mass, 1...700)
            case "HKQuantityTypeIdentifierHeight": .quantity(.height, .height, 20...280)
            case "HKQuantityTypeIdentifierVO2Max": .quantity(.vo2max, .oxygen, 5...120)
            case _ where Self.isDistance(name): .quantity(.distance, .length, 0...2_000_000)
            default: .unused
            }
    }

    private static let distances: Set<String> = [
        "WalkingRunning", "Cycling", "Swimming", "Wheelchair", "Rowing", "PaddleSports", "SkatingSports",
        "CrossCountrySkiing", "DownhillSnowSports",
    ]

    /// Metres by any means, also those of a workout's statistics.
    static func isDistance(_ name: String) -> Bool {
        let prefix = "HKQuantityTypeIdentifierDistance"
        return name.hasPrefix(prefix) && distances.contains(String(name.dropFirst(prefix.count)))
    }

    /// Stage of a value of sleep analysis, also the legacy `Asleep` of before iOS 16; nil for an unknown one.
    static func stage(_ value: RawText) -> SleepSegment.Stage? {
        guard value.hasPrefix("HKCategoryValueSleepAnalysis") else { return nil }
        let rest = value.dropFirst(28)
        if rest == "AsleepCore" { return .core }
        if rest == "AsleepDeep" { return .deep }
        if rest == "AsleepREM" { return .rem }
        if rest == "Awake" { return .awake }
        if rest == "InBed" { return .inBed }
        return rest == "Asleep" || rest == "AsleepUnspecified" ? .asleep : nil
    }
}

extension Sport {
    /// Of the name that a phone, a watch or a website gives an activity, in any spelling.
    package init(named name: String) {
        let word = name.lowercased().filter(\.isLetter)
        func has(_ parts: String...) -> Bool { parts.contains { word.contains($0) } }
        if has("swim") {
            self = .swimming
        } else if has("cycling", "biking", "bike", "ride", "spin"), !has("motor") {
            self = .cycling
        } else if has("running", "run", "treadmill"), !has("walkingrunning") {
            self = .running
        } else if has("rowing", "rower"), !has("throw") {
            self = .rowing
        } else if has("walk", "hik") {
            self = .walking
        } else if has("strength", "weight", "coretraining", "bodybuilding") {
            self = .strength
        } else {
            self = .other
        }
    }
}
