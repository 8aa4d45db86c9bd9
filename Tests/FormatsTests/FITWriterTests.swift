import Foundation
import Physiology
import Protocols
import Testing

@testable import Formats

struct FITWriterTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    private var workout: WorkoutRecord {
        let samples = (0..<90).map { (second: Int) -> WorkoutSample in
            let elapsed = Double(second < 60 ? second : second + 300)
            let watts: Double? = second == 10 ? nil : 200
            return WorkoutSample(
                at: Self.start.adding(seconds: elapsed), bpm: Double(120 + second % 40), powerW: watts, speedMps: 8.125,
                altitudeM: 123.4, distanceM: Double(second) * 8.12, cadence: 90)
        }
        return WorkoutRecord(
            start: Self.start, end: Self.start.adding(seconds: 390), sport: .cycling, movingSeconds: 90,
            distanceM: 730.5, energyKcal: 25, meanBpm: 139, ascentM: 12, source: "test", samples: samples)
    }

    @Test func `our own decoder reads back what was written`() throws {
        let file = FITFile(reading: try FITWriter.bytes(of: workout), name: "written")
        #expect(file.damage == nil)
        let read = try #require(WorkoutRecord(file, source: "test"))
        #expect(read.sport == .cycling && read.movingSeconds == 90 && read.distanceM == 730.5 && read.energyKcal == 25)
        #expect(read.samples.count == workout.samples.count)
        for (one, expected) in zip(read.samples, workout.samples) {
            #expect(one.at == expected.at && one.bpm == expected.bpm && one.powerW == expected.powerW)
            #expect(one.speedMps == expected.speedMps && one.cadence == 90)
            #expect(
                abs((one.altitudeM ?? 0) - 123.4) < 0.11
                    && abs((one.distanceM ?? 0) - (expected.distanceM ?? 0)) < 0.006)
        }
        let session = try #require(file.messages(named: "session").first)
        #expect(session["avg_heart_rate"]?.integer == 139 && session["total_elapsed_time"]?.double == 390)
        #expect(session["total_ascent"]?.integer == 12 && session["start_time"]?.timestamp == Self.start)
        // Started, stopped and started around the pause, stopped.
        let timer = file.messages(named: "event").compactMap { $0["event_type"]?.text }
        #expect(timer == ["start", "stop_all", "start", "stop_all"])
        #expect(WorkoutFigures(read).power == WorkoutFigures(workout).power)
    }

    @Test func `the checksums hold, and one changed bit is noticed`() throws {
        let bytes = try FITWriter.bytes(of: workout)
        #expect(crc(bytes) == 0 && crc(bytes.prefix(14)) == 0)
        var broken = bytes
        broken[100] ^= 1
        #expect(FITFile(reading: broken, name: "broken").damage != nil)
    }

    /// CRC-16 bit by bit, polynomial 0xA001: another way than the table of the writer. Over data and its own checksum it is 0.
    private func crc(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xA001 : crc >> 1 }
        }
        return crc
    }

    @Test func `a workout without samples or figures is written too`() throws {
        let bare = WorkoutRecord(
            start: Self.start, end: Self.start.adding(seconds: 600), sport: .strength, movingSeconds: 600,
            source: "test")
        let file = FITFile(reading: try FITWriter.bytes(of: bare), name: "bare")
        let session = try #require(file.messages(named: "session").first)
        #expect(file.damage == nil && session["avg_heart_rate"] == nil && session["total_distance"] == nil)
        #expect(session["sport"]?.text == "training")
    }

    @Test func `times that FIT cannot hold are refused`() {
        for milliseconds in [Int64(0), 9_000_000_000_000] {
            let at = Timestamp(milliseconds: milliseconds)
            let workout = WorkoutRecord(start: at, end: at, sport: .running, movingSeconds: 0, source: "test")
            #expect(throws: FormatError.self) { try FITWriter.bytes(of: workout) }
        }
    }

    @Test(
        .enabled(if: Python.has("fitparse"), "needs the Python package fitparse"))
    func `fitparse reads the same file`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Data(FITWriter.bytes(of: workout)), to: "ride.fit")
        let script = """
            import fitparse, sys
            f = fitparse.FitFile(sys.argv[1], check_crc=True)
            r = list(f.get_messages('record')); s = list(f.get_messages('session'))[0]
            print(len(r), r[0].get_value('heart_rate'), r[10].get_value('power'), r[11].get_value('power'),
                  s.get_value('sport'), s.get_value('total_timer_time'), s.get_value('total_distance'),
                  r[0].get_value('timestamp').isoformat(), r[0].get_value('enhanced_speed'))
            """
        let told = try #require(Python.run(script, path))
        #expect(told == "90 120 None 200 cycling 90.0 730.5 2023-11-14T22:13:20 8.125")
    }
}

/// Python, where it is installed.
enum Python {
    static func has(_ module: String) -> Bool { run("import \(module); print('yes')") == "yes" }

    static func run(_ script: String, _ arguments: String...) -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
