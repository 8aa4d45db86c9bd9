import Decisions
import Foundation
import Protocols
import Testing

struct PreferencesTests {
    @Test func `the defaults are those of 4-2-4, and their weights sum to one`() {
        let values = Dictionary(uniqueKeysWithValues: Preferences().list.map { ($0.name, $0.value) })
        let expected = [
            "bpmWeight": "0.15", "energyWeight": "0.2", "familiarityWeight": "0.15", "historicalWeight": "0.25",
            "contextWeight": "0.25", "avoidRecentMinutes": "60", "maxSameArtistInRow": "2",
            "preferFamiliarInStress": "on", "morningMaxBPM": "120", "nightMaxBPM": "100", "nightStartHour": "21",
            "morningEndHour": "9", "skipPenaltyWeight": "0.5", "hrvResponseWeight": "0.3", "shareAnalytics": "off",
            "backupToiCloud": "off", "randomShare": "0.05", "djMode": "off", "bedtime": "unknown",
        ]
        for (name, value) in expected { #expect(values[name] == value, "\(name)") }
        let sum = Preferences().list.prefix(5).compactMap { Double($0.value) }.reduce(0, +)
        #expect(abs(sum - 1) < 1e-9)
    }

    @Test func `every preference reads back what it was given`() throws {
        for field in Preferences().list {
            var preferences = Preferences()
            _ = try preferences.set(field.name, to: field.value)
            #expect(preferences == Preferences(), "\(field.name)")
            _ = try preferences.set(field.name, to: nil)
            #expect(preferences == Preferences(), "\(field.name)")
        }
    }

    @Test func `weights are scaled to sum one, with a notice`() throws {
        var preferences = Preferences()
        let notice = try preferences.set("bpmWeight", to: "1")
        // By hand: 1 + 0.85 = 1.85.
        #expect(abs(preferences.bpmWeight - 1 / 1.85) < 1e-12)
        #expect(abs(preferences.contextWeight - 0.25 / 1.85) < 1e-12)
        #expect(notice?.contains("bpmWeight 0.5405") == true)
        #expect(try preferences.set("avoidRecentMinutes", to: "90") == nil)
    }

    @Test(arguments: [
        ("bpmWeight", "1.5"), ("bpmWeight", "nan"), ("nightMaxBPM", "20"), ("maxSameArtistInRow", "0"),
        ("djMode", "maybe"),
        ("randomShare", "0.5"), ("bedtime", "25:00"), ("avoidRecentMinutes", "soon"), ("retentionDays", "-1"),
    ])
    func `a value outside its range is refused and changes nothing`(name: String, value: String) {
        var preferences = Preferences()
        #expect(throws: PreferenceError.self) { try preferences.set(name, to: value) }
        #expect(preferences == Preferences())
    }

    @Test func `an unknown name is refused with the known ones`() {
        var preferences = Preferences()
        let error = #expect(throws: PreferenceError.self) { try preferences.set("volume", to: "1") }
        #expect(error?.description.contains("nightMaxBPM") == true)
    }

    @Test func `lists, hours and switches are set as text`() throws {
        var preferences = Preferences()
        _ = try preferences.set("neverPlay", to: "abc ; artist:Nobody;")
        _ = try preferences.set("bedtime", to: "22:30")
        _ = try preferences.set("DJMode", to: "yes")
        #expect(preferences.neverPlay == ["abc", "artist:Nobody"])
        #expect(preferences.bedtime == 22 * 60 + 30)
        #expect(preferences.djMode)
        let stored = try JSONDecoder().decode(Preferences.self, from: try JSONEncoder().encode(preferences))
        #expect(stored == preferences)
    }
}
