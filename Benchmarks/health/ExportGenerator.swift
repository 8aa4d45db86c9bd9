import Foundation
import Physiology

/// Writes an Apple Health export of any size with the mix of a real one: mostly heart rates, energy, steps and distance of
/// a watch and a phone, and every day a night in stages, HRV with beats, a resting heart rate, now and then a workout.
///
/// The same size gives the same bytes.
struct ExportGenerator {
    private var random = SplitMix64(seed: 2_026)
    private var text = ""
    private var day = 0
    private let formatter: Date.VerbatimFormatStyle

    private static let watch =
        "sourceName=\"Watch of A&amp;B\" sourceVersion=\"11.5\" device=\"&lt;&lt;HKDevice: 0x301aa0b40&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch7,3, software:11.5&gt;\""
    private static let phone =
        "sourceName=\"Phone\" sourceVersion=\"18.5\" device=\"&lt;&lt;HKDevice: 0x301aa0c80&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone15,2, software:18.5&gt;\""
    /// 2014-01-01T00:00Z.
    private static let origin = 1_388_534_400.0

    init() {
        let zone = TimeZone(secondsFromGMT: 3600) ?? .gmt
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        formatter = Date.VerbatimFormatStyle(
            format:
                "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0100",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: zone, calendar: calendar)
    }

    /// - Throws: the error of the system when the file cannot be written.
    mutating func write(to path: String, megabytes: Int) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        text = Self.head
        var written = 0
        while written < megabytes << 20 {
            addDay()
            day += 1
            written += text.utf8.count
            try file.write(contentsOf: Data(text.utf8))
            text = ""
        }
        try file.write(contentsOf: Data("</HealthData>\n".utf8))
    }

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 14 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
        <!ATTLIST HealthData
          locale CDATA #REQUIRED
        >
        ]>
        <HealthData locale="en_US">
         <ExportDate value="2026-01-01 09:30:00 +0100"/>
         <Me HKCharacteristicTypeIdentifierDateOfBirth="1985-04-12" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>

        """

    private mutating func number(_ range: Range<Int>) -> Int {
        range.lowerBound + Int(random.next() % UInt64(range.count))
    }

    private func moment(_ seconds: Double) -> String {
        // Twelve years of days, then again: no export is of the future.
        Date(timeIntervalSince1970: Self.origin + Double(day % 4300) * 86_400 + seconds).formatted(formatter)
    }

    private mutating func record(
        _ type: String, _ source: String, unit: String?, from: Double, to: Double, value: String, children: String = ""
    ) {
        let (start, end) = (moment(from), moment(to))
        text += " <Record type=\"\(type)\" \(source)"
        if let unit { text += " unit=\"\(unit)\"" }
        text += " creationDate=\"\(end)\" startDate=\"\(start)\" endDate=\"\(end)\" value=\"\(value)\""
        text += children.isEmpty ? "/>\n" : ">\n\(children) </Record>\n"
    }

    private mutating func addDay() {
        let quantity = "HKQuantityTypeIdentifier"
        for index in 0..<600 {
            let at = Double(index * 144 + number(0..<60))
            record(
                "\(quantity)HeartRate", Self.watch, unit: "count/min", from: at, to: at, value: "\(number(48..<120))",
                children: index % 2 == 0
                    ? "  <MetadataEntry key=\"HKMetadataKeyHeartRateMotionContext\" value=\"1\"/>\n" : "")
        }
        for index in 0..<300 {
            let at = Double(index * 288)
            record(
                "\(quantity)ActiveEnergyBurned", Self.watch, unit: "kcal", from: at, to: at + 280,
                value: "\(number(0..<9)).\(number(100..<999))")
            record(
                "\(quantity)BasalEnergyBurned", Self.watch, unit: "kcal", from: at, to: at + 288,
                value: "\(number(3..<6)).\(number(100..<999))")
        }
        for (source, count) in [(Self.watch, 120), (Self.phone, 80)] {
            for index in 0..<count {
                let at = Double(25_000 + index * 400)
                record(
                    "\(quantity)StepCount", source, unit: "count", from: at, to: at + 300, value: "\(number(1..<600))")
                record(
                    "\(quantity)DistanceWalkingRunning", source, unit: "km", from: at, to: at + 300,
                    value: "0.\(number(1000..<9999))")
            }
        }
        for index in 0..<60 {
            let at = Double(index * 1440)
            record(
                "\(quantity)EnvironmentalAudioExposure", Self.watch, unit: "dBASPL", from: at, to: at + 1800,
                value: "\(number(35..<90)).\(number(1000..<9999))")
        }
        addNight()
        addReadings(quantity)
        if day % 3 == 0 { addWorkout(quantity) }
    }

    private mutating func addNight() {
        let stages = ["AsleepCore", "AsleepDeep", "AsleepCore", "AsleepREM", "Awake"]
        var at = -3600.0
        record(
            "HKCategoryTypeIdentifierSleepAnalysis", Self.phone, unit: nil, from: at - 900, to: 25_200,
            value: "HKCategoryValueSleepAnalysisInBed")
        var index = 0
        while at < 24_000 {
            let minutes = Double(number(3..<40))
            record(
                "HKCategoryTypeIdentifierSleepAnalysis", Self.watch, unit: nil, from: at, to: at + minutes * 60,
                value: "HKCategoryValueSleepAnalysis\(stages[index % stages.count])",
                children: "  <MetadataEntry key=\"HKTimeZone\" value=\"Europe/Berlin\"/>\n")
            at += minutes * 60
            index += 1
        }
    }

    private mutating func addReadings(_ quantity: String) {
        for hour in [1, 3, 5, 12, 20] {
            var beats = "  <HeartRateVariabilityMetadataList>\n"
            var second = 4.0
            while second < 58 {
                let bpm = number(50..<62)
                second += 60 / Double(bpm)
                let (whole, hundredths) = (Int(second), Int(second * 100) % 100)
                beats +=
                    "   <InstantaneousBeatsPerMinute bpm=\"\(bpm)\" time=\"\(hour):00:\(whole < 10 ? "0" : "")\(whole).\(hundredths < 10 ? "0" : "")\(hundredths) AM\"/>\n"
            }
            beats += "  </HeartRateVariabilityMetadataList>\n"
            let at = Double(hour * 3600)
            record(
                "\(quantity)HeartRateVariabilitySDNN", Self.watch, unit: "ms", from: at, to: at + 60,
                value: "\(number(20..<90)).\(number(1000..<9999))", children: beats)
        }
        record(
            "\(quantity)RestingHeartRate", Self.watch, unit: "count/min", from: 0, to: 82_800,
            value: "\(number(46..<60))")
    }

    private mutating func addWorkout(_ quantity: String) {
        let (start, end) = (moment(61_200), moment(64_800))
        text += """
             <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="55.5" durationUnit="min" \(Self.watch) creationDate="\(end)" startDate="\(start)" endDate="\(end)">
              <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>
              <WorkoutStatistics type="\(quantity)HeartRate" startDate="\(start)" endDate="\(end)" average="\(number(120..<160))" minimum="88" maximum="\(number(165..<185))" unit="count/min"/>
              <WorkoutStatistics type="\(quantity)DistanceWalkingRunning" startDate="\(start)" endDate="\(end)" sum="\(number(5..<14)).25" unit="km"/>
              <WorkoutStatistics type="\(quantity)ActiveEnergyBurned" startDate="\(start)" endDate="\(end)" sum="\(number(300..<900))" unit="kcal"/>
             </Workout>

            """
    }
}
