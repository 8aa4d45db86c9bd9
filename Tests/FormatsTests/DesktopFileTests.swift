import Foundation
import Testing

@testable import Formats

struct DesktopFileTests {
    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `an ActivityWatch export adds up to its reference`() throws {
        let log = try ActivityWatchReader.read(path: SharedData.path("activitywatch/aw-buckets-export.json"))
        let expected = try SharedData.json("activitywatch/expected.json")
        let events = try #require(expected["events"] as? [String: Int])
        #expect(log.windows.count == events["aw-watcher-window_testhost"])
        #expect(log.presence.count == events["aw-watcher-afk_testhost"])
        #expect(log.otherEvents == events["aw-watcher-web-firefox"])
        let days = log.days(in: .gmt)
        let wanted = try #require(expected["days"] as? [[String: Any]])
        #expect(days.map(\.day) == wanted.map { $0["day"] as? String })
        for (day, wanted) in zip(days, wanted) {
            #expect(day.activeSeconds == wanted["active_s"] as? Double)
            #expect(day.afkSeconds == wanted["afk_s"] as? Double)
            let apps = try #require(wanted["seconds_per_app"] as? [String: Double])
            #expect(Set(day.secondsPerApp.keys) == Set(apps.keys))
            for (app, seconds) in apps { #expect(abs((day.secondsPerApp[app] ?? -1) - seconds) < 1e-6) }
        }
    }

    @Test func `presence that overlaps counts once and a day ends at local midnight`() throws {
        let text = """
            [{"timestamp":"2026-01-02T00:30:00+00:00","duration":3600,"data":{"status":"afk"}},
             {"timestamp":"2026-01-01T23:00:00.000000+00:00","duration":7200.0,"data":{"status":"not-afk"}},
             {"timestamp":"2026-01-01T23:30:00","duration":1800,"data":{"status":"not-afk"}}]
            """
        let log = try ActivityWatchReader.read(bytes: Array(text.utf8), name: "a.json")
        #expect(
            log.days(in: .gmt) == [
                ActivityDay(day: "2026-01-01", secondsPerApp: [:], activeSeconds: 3600, afkSeconds: 0),
                ActivityDay(day: "2026-01-02", secondsPerApp: [:], activeSeconds: 3600, afkSeconds: 1800),
            ])
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(log.days(in: berlin).map(\.day) == ["2026-01-02"])
    }

    @Test func `own rules come before the built-in ones and the deepest name wins`() throws {
        let text = """
            [{"name":["Media"],"rule":{"type":"regex","regex":"firefox","ignore_case":true}},
             {"name":["Work","Programming"],"rule":{"type":"regex","regex":"Review"}},
             {"name":["X"],"rule":{"type":"none"}},
             {"name":["Y"],"category":"social","rule":{"type":"regex","regex":"Foo"}}]
            """
        let rules = try CategoryRules.read(bytes: Array(text.utf8), name: "rules.json")
        #expect(rules.category(app: "Firefox", title: "News") == .entertainment)
        #expect(rules.category(app: "Firefox", title: "Review 7") == .productivity)
        #expect(rules.category(app: "Foo", title: "") == .social)
        #expect(rules.category(app: "Slack", title: "#general") == .communication)
        #expect(CategoryRules.builtIn.category(app: "firefox", title: "YouTube") == .entertainment)
        #expect(CategoryRules.builtIn.category(app: "firefox", title: "News") == .browser)
        #expect(CategoryRules.builtIn.category(app: "zoom", title: "Zoom Meeting") == .meeting)
        #expect(CategoryRules.builtIn.category(app: "Code", title: "main.swift") == .productivity)
        #expect(CategoryRules.builtIn.category(app: "unheard-of", title: "") == .other)
        let bad = #"[{"name":["W"],"rule":{"type":"regex","regex":"("}}]"#
        #expect(throws: FormatError.self) { try CategoryRules.read(bytes: Array(bad.utf8), name: "r.json") }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `a focus timeline is looked up by time`() throws {
        let focus = try FocusFile.read(path: SharedData.path("days/focus.jsonl"))
        func at(_ text: String) throws -> FocusState? { focus.state(at: try #require(IsoTime.seconds(text))) }
        #expect(try at("2016-05-10T09:00:00Z") == nil)
        #expect(try at("2016-05-10T10:10:00Z") == FocusState(active: true, name: "Work"))
        #expect(try at("2016-05-10T13:00:00Z") == FocusState(active: false))
        #expect(try at("2016-05-11T03:00:00Z") == FocusState(active: true, name: "Sleep"))
    }

    @Test func `the focus of macOS is on with a record, off without, and named by its configuration`() throws {
        let on =
            #"{"data":[{"storeAssertionRecords":[{"assertionDetails":{"assertionDetailsModeIdentifier":"com.apple.focus.work"}}]}]}"#
        let modes = #"{"data":[{"modeConfigurations":{"com.apple.focus.work":{"mode":{"name":"Arbeit"}}}}]}"#
        #expect(
            try FocusFile.read(bytes: Array(on.utf8), name: "Assertions.json", modes: Array(modes.utf8))
                == .state(FocusState(active: true, name: "Arbeit")))
        #expect(
            try FocusFile.read(bytes: Array(on.utf8), name: "Assertions.json")
                == .state(FocusState(active: true, name: "work")))
        #expect(
            try FocusFile.read(bytes: Array(#"{"data":[{}]}"#.utf8), name: "Assertions.json")
                == .state(FocusState(active: false)))
        #expect(
            try FocusFile.read(bytes: Array(#"{"active":true,"name":"Work"}"#.utf8), name: "f.json")
                == .state(FocusState(active: true, name: "Work")))
        let error = #expect(throws: FormatError.self) {
            try FocusFile.read(
                bytes: Array("{\"at\":\"2026-01-01T00:00:00Z\",\"active\":true}\n{\"at\":1}\n".utf8), name: "f")
        }
        #expect(error?.place == .line(2))
    }

    @Test func `texts of JSON keep every character`() throws {
        let text =
            #"[{"timestamp":"2026-01-01T00:00:00Z","duration":1,"data":{"app":"\u00fc\ud83d\ude00\n","title":"日本"}}]"#
        let log = try ActivityWatchReader.read(bytes: Array(text.utf8), name: "a.json")
        #expect(log.windows.first?.app == "ü😀\n" && log.windows.first?.title == "日本")
    }
}
