import Foundation
import Testing

@testable import Formats

struct InspectionTests {
    private func object(_ report: InspectionReport) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `a calendar is reported with RFC 3339 times for the asked days`() throws {
        let report = try Inspection.inspect(
            path: SharedData.path("days/calendar.ics"), from: "2016-05-10", to: "2016-05-11", timeZone: .gmt)
        let json = try object(report)
        #expect(json["kind"] as? String == "calendar")
        let rows = try #require(json["occurrences"] as? [[String: Any]])
        #expect(rows.map { $0["uid"] as? String } == ["standup", "review", "dinner"])
        #expect(rows.first?["start"] as? String == "2016-05-10T09:30:00+00:00")
        #expect(rows.first?["allDay"] as? Bool == false)
        #expect(report.text.contains("Design review"))
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `a library says what an import would take and refuse`() throws {
        let json = try object(
            Inspection.inspect(path: SharedData.path("playlists/itunes_library_libpytunes.xml"), timeZone: .gmt))
        #expect(json["kind"] as? String == "library")
        #expect((json["tracks"] as? [Any])?.count == 402)
        #expect(json["wouldTake"] as? [String: Int] == ["playlists": 3, "tracks": 370])
        let refused = try #require(json["refused"] as? [[String: Any]])
        #expect(refused.contains { $0["reason"] as? String == "video" && $0["count"] as? Int == 25 })
        let playlists = try #require(json["playlists"] as? [[String: Any]])
        #expect(playlists.first?["name"] as? String == "Library" && playlists.first?["tracks"] as? Int == 55)
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `playlists of both formats are reported alike`() throws {
        for file in ["playlists/basic.m3u8", "playlists/basic.xspf"] {
            let json = try object(Inspection.inspect(path: SharedData.path(file), timeZone: .gmt))
            #expect(json["kind"] as? String == "playlist")
            let tracks = try #require(json["tracks"] as? [[String: Any]])
            #expect(tracks.first?["title"] as? String == "Hoppípolla")
            #expect(
                tracks.allSatisfy { Set($0.keys).isSuperset(of: ["title", "artist", "album", "seconds", "location"]) })
        }
    }

    @Test(
        .enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"),
        arguments: [
            ("activitywatch/aw-buckets-export.json", "activitywatch"), ("days/activitywatch.json", "activitywatch"),
            ("days/focus.jsonl", "focus"), ("library/songs.csv", "library"), ("library/Running.m3u8", "playlist"),
            ("days/heart-rate.csv", "heartRate"), ("days/motion.csv", "motion"), ("days/moods.csv", "moods"),
            ("days/workouts.csv", "workouts"), ("hrv/pyhrv_nni_short_5min.txt", "rr"),
            ("fit/raw/fenix3-hrv-64min.fit", "fit"),
        ])
    func `the content says what a file is`(file: String, kind: String) throws {
        let report = try Inspection.inspect(path: SharedData.path(file), timeZone: .gmt)
        #expect(report.kind == kind)
        #expect(report.text.contains(kind))
        #expect(try object(report)["kind"] as? String == kind)
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `an RR series is reported with the figures of its reference`() throws {
        let reference = try SharedData.json("hrv/reference.json")
        let json = try object(Inspection.inspect(path: SharedData.path("hrv/pyhrv_nni_short_5min.txt"), timeZone: .gmt))
        #expect(json["kind"] as? String == "rr")
        let text = try String(decoding: JSONSerialization.data(withJSONObject: reference), as: UTF8.self)
        #expect(text.contains("pyhrv_nni_short_5min"))
        for key in [
            "n", "meanNnMs", "sdnnMs", "rmssdMs", "pnn50Percent", "artefacts", "correctedRmssdMs", "correctedShare",
        ] {
            #expect(json[key] != nil, "\(key)")
        }
    }

    @Test func `days that make no sense are refused by name`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("BEGIN:VCALENDAR\nEND:VCALENDAR\n", to: "a.ics")
        #expect(throws: FormatError.self) { try Inspection.inspect(path: path, from: "tomorrow") }
        #expect(throws: FormatError.self) { try Inspection.inspect(path: path, from: "2026-02-30") }
        #expect(throws: FormatError.self) { try Inspection.inspect(path: path, from: "2026-02-02", to: "2026-02-01") }
        #expect(try Inspection.inspect(path: path).occurrences?.isEmpty == true)
    }
}
