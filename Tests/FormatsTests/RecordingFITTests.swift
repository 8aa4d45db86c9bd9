import Foundation
import Protocols
import Testing

@testable import Formats

struct RecordingFITTests {
    /// File, and whether it is sound.
    static let files = [
        "fenix3-hrv-64min", "fitparse-DeveloperData", "fitparse-MonitoringFile", "fitparse-Settings2",
        "fitparse-WorkoutRepeatSteps", "fitparse-antfs-dump.63", "fitparse-compressed-speed-distance",
        "fitparse-garmin-edge-820-bike", "fitparse-garmin-fenix-5-bike", "fitparse-garmin-fenix-5-run",
        "fitparse-garmin-fenix-5-walk", "indoor-edge1030-power-hr-rr", "indoor-rowing-vivoactive",
        "indoor-trainer-edge800-power", "multisport-run-transition-row", "poolswim-fr735-event-timestamp",
        "virtual-edge1030plus", "zwift-virtual-null-compressed",
    ]

    /// Read by fitdecode until the damage; see `decode_error` in reference.json.
    static let damaged = [
        "fitparse-activity-settings-corruptheader", "fitparse-activity-settings-nodata",
        "fitparse-activity-unexpected-eof", "fitparse-activity-activity-filecrc", "fitparse-activity-filecrc",
    ]

    private static func reference(_ name: String) throws -> [String: Any] {
        let raw = try SharedData.json("fit/reference.json")["raw"] as? [String: Any]
        return try #require(raw?["\(name).fit"] as? [String: Any])
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `sound files give the messages, heart rates and beats of fitdecode`(name: String) throws {
        let reference = try Self.reference(name)
        let file = try FITFile(path: SharedData.path("fit/raw/\(name).fit"))
        #expect(file.counts == reference["messages"] as? [String: Int])
        #expect(file.records.count == reference["records"] as? Int)
        if let heart = reference["heart"] as? [String: Any] {
            let all = file.messages(named: "record").compactMap { $0["heart_rate"]?.double }
            #expect(all.count == heart["n"] as? Int)
            let mean = try #require(heart["avg_hr"] as? Double)
            #expect(abs(all.reduce(0, +) / Double(all.count) - mean) < 1e-9)
            #expect(all.max() == heart["max_hr"] as? Double)
        }
        if let rr = reference["rr"] as? [String: Any] {
            #expect(file.rrMs.count == rr["n"] as? Int)
            #expect(Array(file.rrMs.prefix(10)) == (rr["first_10_ms"] as? [Double]))
            let sum = try #require(rr["sum_s"] as? Double)
            #expect(abs(file.rrMs.reduce(0, +) / 1000 - sum) < 1e-6)
        }
        let sessions = try #require(reference["device_sessions"] as? [[String: Any]])
        for (session, wanted) in zip(file.messages(named: "session"), sessions) {
            #expect(session["sport"]?.text == wanted["sport"] as? String)
            if let sub = wanted["sub_sport"] as? String { #expect(session["sub_sport"]?.text == sub) }
            for key in ["total_timer_time", "total_elapsed_time", "total_distance", "avg_heart_rate", "avg_power"] {
                #expect(session[key]?.double == wanted[key] as? Double, "\(key)")
            }
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: damaged)
    func `a damaged file is refused with its place, and what stands before can be had`(name: String) throws {
        let path = try SharedData.path("fit/raw/\(name).fit")
        #expect {
            _ = try FITFile(path: path)
        } throws: { error in
            guard let error = error as? FormatError, case .byte = error.place else { return false }
            return error.file == path
        }
        let reference = try Self.reference(name)
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        let partial = FITFile(reading: bytes, name: name)
        #expect(partial.damage != nil)
        #expect(partial.counts == reference["messages"] as? [String: Int])
    }

    @Test(
        .enabled(if: SharedData.isThere, "needs the shared data folder"),
        arguments: ["edge-820-bike", "fenix-5-bike", "fenix-5-run", "fenix-5-walk"])
    func `records equal the tables of python-fitparse`(name: String) throws {
        let file = try FITFile(path: SharedData.path("fit/raw/fitparse-garmin-\(name).fit"))
        let rows = try String(
            contentsOfFile: SharedData.path("fit/raw/fitparse-garmin-\(name)-records.csv"), encoding: .utf8
        ).split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let records = file.messages(named: "record")
        #expect(records.count == rows.count - 1)
        for (record, row) in zip(records, rows.dropFirst()) {
            // "Mon Jun 12 09:10:15 PDT 2017": PDT is seven hours behind UTC.
            let clock = row[0].split(separator: " ")[3].split(separator: ":").compactMap { Int64($0) }
            let expected = ((clock[0] + 7) * 3600 + clock[1] * 60 + clock[2]) % 86_400
            let time = try #require(record.timestamp)
            #expect(time.milliseconds / 1000 % 86_400 == expected)
            for (column, key) in rows[0].enumerated().dropFirst() {
                let enhanced = record["enhanced_\(key)"]?.double
                let value = record[key]?.double ?? enhanced
                guard let wanted = Double(row[column]) else { continue }
                let got = try #require(value, "\(key)")
                #expect(abs(got - wanted) < 1e-6, "\(key)")
            }
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `speed and distance packed into three bytes equal the table of python-fitparse`() throws {
        let file = try FITFile(path: SharedData.path("fit/raw/fitparse-compressed-speed-distance.fit"))
        let rows = try String(
            contentsOfFile: SharedData.path("fit/raw/fitparse-compressed-speed-distance-records.csv"), encoding: .utf8
        ).split(whereSeparator: \.isNewline).map { $0.split(separator: ",").map(String.init) }
        let records = file.messages(named: "record")
        #expect(records.count == 755)
        var compared = 0
        // The table leaves out the first record, which has nothing but its time.
        for (record, row) in zip(records.dropFirst(), rows.dropFirst()) {
            #expect(record["timestamp"]?.integer == Int64(row[0]))
            for (key, cell) in [("heart_rate", row[1]), ("speed", row[2]), ("distance", row[3]), ("cadence", row[4])] {
                guard let wanted = Double(cell) else { continue }
                let got = try #require(record[key]?.double)
                #expect(abs(got - wanted) < 1e-9, "\(key)")
                compared += 1
            }
        }
        #expect(compared > 2900)
    }

    @Test func `reads the file that Garmin's own SDK wrote, and refuses each of its beginnings`() throws {
        // Two records of 72 and 75 bpm at 2026-11-21T03:00:00Z and a second later.
        let hex = """
            0e20e2523b0000002e4649549edd40000000000500010001028402028404048603048c0004ff00010030bd6345d20400004100001400\
            02fd04860301020130bd6345480131bd63454b4b21
            """
        let digits = Array(hex.utf8.filter { $0 > 0x20 })
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
        let file = FITFile(reading: bytes, name: "two")
        #expect(file.damage == nil)
        #expect(file.heartRates.map(\.bpm) == [72, 75])
        #expect(file.heartRates.first?.at == Timestamp(milliseconds: 1_795_230_000_000))
        for length in 0..<bytes.count {
            #expect(FITFile(reading: Array(bytes.prefix(length)), name: "cut").damage != nil, "\(length) bytes")
        }
    }

    @Test func `random bytes, also behind a sound header, never crash the reader`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(FITFile(reading: bytes, name: "noise").damage != nil)
            bytes.replaceSubrange(0..<12, with: [12, 0x10, 0, 0, 0x80, 1, 0, 0] + Array(".FIT".utf8))
            _ = FITFile(reading: bytes, name: "noise").counts
        }
    }
}
