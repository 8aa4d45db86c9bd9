import Physiology
import Protocols
import Testing

struct BodySettingsTests {
    @Test func `what is stored as text comes back the same, also where it is not the default`() throws {
        let wanted = [
            "alerts": "off", "alertLevel": "overload", "alertHigh": "off", "alertOverload": "off",
            "alertCooldownMinutes": "5", "alertConfidence": "0.25", "quietHours": "off", "quietFrom": "23:30",
            "quietTo": "06:15", "dailySummary": "off", "dailySummaryAt": "21:05", "weeklyInsight": "off",
            "weeklyDay": "sunday", "weeklyAt": "09:00", "achievements": "off", "sleepGoalMinutes": "450",
            "wakeAt": "06:40", "bedtimeReminder": "on", "bedtimeLeadMinutes": "45", "units": "imperial",
            "loadConvention": "intervals", "theme": "dark", "hrvFigure": "sdnn", "startFitness": "55.5",
            "rampCap": "3.5",
            "morningMessage": "off", "morningAt": "06:45",
        ]
        #expect(Set(wanted.keys) == Set(BodySettings.all.map(\.name)))
        let settings = BodySettings(stored: wanted)
        for (name, text) in wanted {
            #expect(settings.text(of: name) == text)
            #expect(BodySettings().text(of: name) != text, "\(name) is tried with its default")
            #expect(try settings.changed(name, to: nil).text(of: name) == BodySettings().text(of: name))
        }
    }

    @Test(
        arguments: [
            ("alertLevel", "normal"), ("alertLevel", "x"), ("alertCooldownMinutes", "4"),
            ("alertCooldownMinutes", "1.5"), ("alertConfidence", "1.1"), ("alertConfidence", "nan"),
            ("quietFrom", "24:00"), ("quietFrom", "9:5"), ("quietTo", "+1:00"), ("weeklyDay", "someday"),
            ("sleepGoalMinutes", "239"), ("sleepGoalMinutes", "721"), ("wakeAt", "soon"), ("alerts", "maybe"),
            ("units", "stones"), ("nothing", "1"),
        ])
    func `what is out of its range is refused with what would be right`(name: String, text: String) {
        let refusal = #expect(throws: Refusal.self) { try BodySettings().changed(name, to: text) }
        #expect(refusal?.code == "invalid")
        #expect(refusal?.message.contains(name) == true)
    }

    @Test func `a stored text that no longer passes is its default, and harms nothing else`() {
        let settings = BodySettings(stored: ["sleepGoalMinutes": "9999", "quietFrom": "21:00", "old": "x"])
        #expect(settings.sleepGoalMinutes == 480)
        #expect(settings.quietFrom == 21 * 60)
    }
}
