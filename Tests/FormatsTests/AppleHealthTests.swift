import Foundation
import Physiology
import Protocols
import Testing

@testable import Formats

/// Everything that a reading hands over.
struct Taken {
    var records: [BodyRecord] = []
    var tally = HealthTally()

    init(_ path: String, now: Timestamp = Timestamp(milliseconds: 1_800_000_000_000), zone: String = "UTC") throws {
        var records: [BodyRecord] = []
        tally = try HealthFile.read(
            URL(filePath: path), now: now, timeZone: try #require(TimeZone(identifier: zone))
        ) { records.append($0) }
        self.records = records
    }

    /// Bytes, handed to the scanner in pieces of this size.
    init(apple text: String, piece: Int = 1 << 18, now: Timestamp = Timestamp(milliseconds: 1_800_000_000_000)) throws {
        var records: [BodyRecord] = []
        tally = try withoutActuallyEscaping({ (record: BodyRecord) throws in records.append(record) }) { take in
            try HealthFile.apple(
                MemoryFeed(Array(text.utf8), name: "export.xml", piece: piece), HealthSink(now: now, take: take),
                ProgressClock { _ in })
        }
        self.records = records
    }

    var heartRates: [HeartRateRecord] {
        records.compactMap { if case .heartRate(let value) = $0 { value } else { nil } }
    }
    var variability: [VariabilityRecord] {
        records.compactMap { if case .variability(let value) = $0 { value } else { nil } }
    }
    var sleep: [SleepSegment] { records.compactMap { if case .sleep(let value) = $0 { value } else { nil } } }
    var workouts: [WorkoutRecord] { records.compactMap { if case .workout(let value) = $0 { value } else { nil } } }
    var quantities: [QuantityRecord] {
        records.compactMap { if case .quantity(let value) = $0 { value } else { nil } }
    }
    var resting: [RestingRecord] {
        records.compactMap { if case .restingHeartRate(let value) = $0 { value } else { nil } }
    }
}

struct AppleHealthTests {
    private static let prefix = "HKQuantityTypeIdentifier"

    private static func record(
        _ type: String, _ value: String, unit: String, start: String = "2024-03-01 08:00:00 +0100",
        end: String = "2024-03-01 08:00:00 +0100", more: String = ""
    ) -> String {
        "<Record type=\"\(prefix)\(type)\" sourceName=\"Watch\" unit=\"\(unit)\" startDate=\"\(start)\" endDate=\"\(end)\" value=\"\(value)\"\(more)/>\n"
    }

    private static func export(_ content: String) -> String {
        "<?xml version=\"1.0\"?>\n<!DOCTYPE HealthData [ <!ELEMENT a (b|c)> <!ATTLIST a x CDATA #IMPLIED > > ]>\n<HealthData locale=\"de_DE\">\n\(content)</HealthData>\n"
    }

    // MARK: - Values

    @Test(
        arguments: [
            ("HeartRate", "72", "count/min", 72), ("HeartRate", "1.2", "count/s", 72),
            ("HeartRate", "72,5", "count/min", 72.5),
        ] as [(String, String, String, Double)])
    func `a heart rate is read in its unit`(type: String, value: String, unit: String, bpm: Double) throws {
        let taken = try Taken(apple: Self.export(Self.record(type, value, unit: unit)))
        let rate = try #require(taken.heartRates.first)
        #expect(abs(rate.bpm - bpm) < 1e-9)
        // 07:00Z on 2024-03-01.
        #expect(rate.at.milliseconds == 1_709_276_400_000)
        #expect(rate.source == "Watch")
    }

    /// Factors: NIST SP 811; HealthKit's Cal is the kilocalorie.
    @Test(
        arguments: [
            ("StepCount", "812", "count", 812), ("ActiveEnergyBurned", "100", "kcal", 100),
            ("ActiveEnergyBurned", "100", "Cal", 100), ("ActiveEnergyBurned", "418.4", "kJ", 100),
            ("DistanceWalkingRunning", "1", "mi", 1609.344), ("DistanceCycling", "1.5", "km", 1500),
            ("DistanceSwimming", "100", "yd", 91.44), ("BodyMass", "154", "lb", 69.853_224_98),
            ("BodyMass", "11", "st", 69.853_224_98), ("BodyMass", "70000", "g", 70), ("Height", "6", "ft", 182.88),
            ("Height", "1.8", "m", 180), ("VO2Max", "44.1", "mL/min·kg", 44.1), ("BasalEnergyBurned", "4184", "J", 1),
        ] as [(String, String, String, Double)])
    func `an amount is read in its unit`(type: String, value: String, unit: String, expected: Double) throws {
        let taken = try Taken(apple: Self.export(Self.record(type, value, unit: unit)))
        let amount = try #require(taken.quantities.first)
        #expect(abs(amount.value - expected) < 1e-6)
    }

    @Test(arguments: [
        "2024-03-01 08:00:00 +0100", "2024-03-01 8:00:00 AM +0100", "2024-03-01 8:00:00\u{202F}a. m. +0100",
        "2024-03-01 08:00:00,0 +01:00", "2024-03-01T07:00:00Z", "2024-03-01 12:30:00 PM +0530",
        "2024-03-01 0:00:00 -0700",
    ])
    func `a moment is read as the phone's locale prints it`(text: String) throws {
        let taken = try Taken(
            apple: Self.export(Self.record("HeartRate", "60", unit: "count/min", start: text, end: text)))
        #expect(taken.heartRates.first?.at.milliseconds == 1_709_276_400_000, "\(taken.tally)")
    }

    @Test func `what is not taken is counted with its reason`() throws {
        let text = Self.export(
            Self.record("HeartRate", "500", unit: "count/min") + Self.record("HeartRate", "abc", unit: "count/min")
                + Self.record("HeartRate", "70", unit: "furlong")
                + Self.record("HeartRate", "70", unit: "count/min", start: "yesterday")
                + Self.record("HeartRate", "70", unit: "count/min", end: "2024-02-01 08:00:00 +0100")
                + Self.record(
                    "HeartRate", "70", unit: "count/min", start: "2099-01-01 00:00:00 +0000",
                    end: "2099-01-01 00:00:00 +0000")
                + Self.record("OxygenSaturation", "0.97", unit: "%")
                + Self.record("OxygenSaturation", "0.96", unit: "%")
                + "<ActivitySummary dateComponents=\"2024-03-01\"/><Record sourceName=\"x\"/>")
        let tally = try Taken(apple: text).tally
        #expect(tally.taken.isEmpty)
        #expect(
            tally.skipped == [
                "value out of range": 1, "unreadable value": 1, "unknown unit of HKQuantityTypeIdentifierHeartRate": 1,
                "unreadable time": 1, "ends before it starts": 1, "in the future": 1,
                "HKQuantityTypeIdentifierOxygenSaturation: not used": 2, "activity rings of a day: not used": 1,
                "record without a type": 1,
            ])
        #expect(tally.found["HKQuantityTypeIdentifierHeartRate"] == 6)
        #expect(tally.problems.isEmpty)
    }

    @Test func `the future begins five minutes after now`() throws {
        let text = Self.export(Self.record("HeartRate", "70", unit: "count/min"))
        func taken(_ secondsLater: Double) throws -> Int {
            try Taken(apple: text, now: Timestamp(milliseconds: 1_709_276_400_000).adding(seconds: -secondsLater))
                .records.count
        }
        #expect(try taken(299) == 1)
        #expect(try taken(301) == 0)
    }

    // MARK: - Structure

    @Test func `records inside a correlation count once`() throws {
        let one = Self.record("HeartRate", "70", unit: "count/min")
        let taken = try Taken(apple: Self.export("<Correlation type=\"x\">\(one)</Correlation>\(one)"))
        #expect(taken.heartRates.count == 1)
        #expect(taken.tally.skipped == ["repeated inside a correlation": 1])
    }

    @Test func `duplicate attributes, entities, control characters and bad bytes do no harm`() throws {
        let text =
            "<HealthData><Record type='HKQuantityTypeIdentifierHeartRate' type='x' sourceName=\"A &amp; B&#39;s\u{0B} W&#x61;tch & co\" unit=\"count/min\" startDate=\"2024-03-01 08:00:00 +0100\" startDate=\"1999-03-01 08:00:00 +0100\" value=\"61\" /></HealthData>"
        let rate = try #require(try Taken(apple: text).heartRates.first)
        #expect(rate.source == "A & B's Watch & co")
        #expect(rate.at.milliseconds == 1_709_276_400_000)
        var bytes = Array(text.utf8)
        let place = try #require(bytes.firstRange(of: Array("W&#x61;tch".utf8))).lowerBound
        bytes[place] = 0xFF
        var sources: [String] = []
        _ = try withoutActuallyEscaping({ (record: BodyRecord) throws in
            if case .heartRate(let rate) = record { sources.append(rate.source) }
        }) { take in
            try HealthFile.apple(
                MemoryFeed(bytes, name: "x"), HealthSink(now: Timestamp(milliseconds: 1_800_000_000_000), take: take),
                ProgressClock { _ in })
        }
        #expect(sources == ["A & B's \u{FFFD}atch & co"])
    }

    @Test func `a workout takes its statistics, and its attributes where there are none`() throws {
        let dates = "startDate=\"2024-03-01 08:00:00 +0100\" endDate=\"2024-03-01 09:00:00 +0100\""
        let text = Self.export(
            """
            <Workout workoutActivityType="HKWorkoutActivityTypeSwimming" duration="45" durationUnit="min" totalDistance="1.25" totalDistanceUnit="mi" totalEnergyBurned="1000" totalEnergyBurnedUnit="kJ" sourceName="Watch" \(dates)/>
            <Workout workoutActivityType="HKWorkoutActivityTypeYoga" totalDistance="9" totalDistanceUnit="km" sourceName="Watch" \(dates)>
              <MetadataEntry key="HKElevationAscended" value="1500 cm"/>
              <WorkoutEvent type="HKWorkoutEventTypePause" date="2024-03-01 08:10:00 +0100"/>
              <WorkoutEvent type="HKWorkoutEventTypeResume" date="2024-03-01 08:20:00 +0100"/>
              <WorkoutActivity uuid="1" \(dates)>
                <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" \(dates) average="1" unit="count/min"/>
              </WorkoutActivity>
              <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" \(dates) startDate="x" average="2" maximum="2.5" unit="count/s"/>
              <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" \(dates) sum="2" unit="km"/>
            </Workout>
            """)
        let taken = try Taken(apple: text)
        #expect(taken.workouts.count == 2)
        let (swim, yoga) = (taken.workouts[0], taken.workouts[1])
        #expect(swim.sport == .swimming)
        #expect(swim.movingSeconds == 2700)
        #expect(swim.distanceM == 2011.68)
        #expect(abs((swim.energyKcal ?? 0) - 239.005_736) < 1e-6)
        #expect(yoga.sport == .other)
        #expect(yoga.title == "Yoga")
        #expect(yoga.movingSeconds == 3000)
        #expect(yoga.meanBpm == 120)
        #expect(yoga.maximumBpm == 150)
        #expect(yoga.distanceM == 2000)
        #expect(yoga.ascentM == 15)
    }

    @Test func `age and sex are told when they are set`() throws {
        let text = Self.export(
            "<Me HKCharacteristicTypeIdentifierDateOfBirth=\"1985-04-12\" HKCharacteristicTypeIdentifierBiologicalSex=\"HKBiologicalSexFemale\"/>"
        )
        #expect(try Taken(apple: text).records == [.person(PersonRecord(birthDate: "1985-04-12", sex: "female"))])
        #expect(
            try Taken(apple: Self.export("<Me HKCharacteristicTypeIdentifierBiologicalSex=\"HKBiologicalSexNotSet\"/>"))
                .records.isEmpty)
    }

    @Test(arguments: [1, 7, 64, 4096])
    func `the size of the pieces that come in does not matter`(piece: Int) throws {
        let text = Self.export(
            (0..<400).map { Self.record("HeartRate", "\(60 + $0 % 40)", unit: "count/min") }.joined()
                + "<!-- a > comment --><![CDATA[ <Record/> ]]>")
        #expect(try Taken(apple: text, piece: piece).records == Taken(apple: text).records)
        #expect(try Taken(apple: text, piece: piece).records.count == 400)
    }

    // MARK: - Faults

    @Test func `a file that was cut off gives what stands before, and says where it ends`() throws {
        let whole = Self.export((0..<100).map { _ in Self.record("HeartRate", "60", unit: "count/min") }.joined())
        let cut = String(whole.prefix(whole.count * 3 / 4))
        let taken = try Taken(apple: cut)
        #expect((70...76).contains(taken.records.count))
        let problem = try #require(taken.tally.problems.first)
        #expect(problem.contains("byte \(cut.utf8.count)"))
        #expect(problem.contains("cut off"))
    }

    @Test func `a damaged tag is passed over and the rest is read`() throws {
        let good = Self.record("HeartRate", "60", unit: "count/min")
        let taken = try Taken(apple: Self.export("\(good)<Record type=\"x\" <Record a=b/>< 5 \(good)\(good)"))
        #expect(taken.records.count == 3)
        #expect(taken.tally.problems.count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a hundred megabytes in one line, or in one tag, take no more memory and do not hang`() throws {
        final class Flood: ByteFeed {
            let name = "flood"
            let totalBytes: Int
            var rest: Int
            var isFirst = true
            let filling: UInt8
            let opening: [UInt8]
            init(_ opening: String, _ filling: UInt8, megabytes: Int) {
                totalBytes = megabytes << 20
                rest = totalBytes
                self.opening = Array(opening.utf8)
                self.filling = filling
            }
            func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
                if isFirst {
                    isFirst = false
                    buffer.copyBytes(from: opening)
                    return opening.count
                }
                let count = min(rest, buffer.count)
                if let start = buffer.baseAddress { memset(start, CInt(filling), count) }
                rest -= count
                return count
            }
        }
        let floods: [(String, UInt8, Int)] = [
            ("<HealthData>", 0x20, 100), ("<HealthData><Record a=\"", 0x61, 100), ("<HealthData>", 0x3C, 8),
            ("<HealthData><!--", 0x2D, 100), ("<HealthData>&", 0x3E, 100),
        ]
        for (opening, filling, megabytes) in floods {
            let tally = try HealthFile.apple(
                Flood(opening, filling, megabytes: megabytes),
                HealthSink(now: Timestamp(milliseconds: 0), take: { _ in }), ProgressClock { _ in })
            #expect(tally.taken.isEmpty)
            #expect(!tally.problems.isEmpty)
        }
    }

    @Test func `the reader stops with the error of who takes the records or hears of the progress`() throws {
        struct Stop: Error {}
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.export(Self.record("HeartRate", "60", unit: "count/min")), to: "export.xml")
        #expect(throws: Stop.self) { try HealthFile.read(URL(filePath: path)) { _ in throw Stop() } }
        #expect(throws: Stop.self) {
            try HealthFile.read(URL(filePath: path), progress: { _ in throw Stop() }, take: { _ in })
        }
        var last: HealthProgress?
        try HealthFile.read(URL(filePath: path), progress: { last = $0 }, take: { _ in })
        #expect(last?.records == 1)
        #expect(last?.bytes == last?.totalBytes)
    }
}
