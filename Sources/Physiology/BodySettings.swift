import Foundation
import Protocols

/// What the listener wants to be told of their body, and when.
///
/// Kept as texts by name; every name, range and default is in ``BodySettings/all``.
package struct BodySettings: Hashable, Codable, Sendable {
    package enum Units: String, Codable, Hashable, Sendable, CaseIterable { case metric, imperial }
    /// How fitness and fatigue are computed.
    package enum LoadConvention: String, Codable, Hashable, Sendable, CaseIterable {
        case exponential, trainingpeaks, intervals
    }
    package enum Theme: String, Codable, Hashable, Sendable, CaseIterable { case system, light, dark }
    package enum HRVFigure: String, Codable, Hashable, Sendable, CaseIterable { case rmssd, sdnn }

    /// Switches all alerts of the body.
    package var alerts = true
    /// Lowest level that is told: `elevated`, `high` or `overload`.
    package var alertLevel = StressLevel.high
    package var alertHigh = true
    package var alertOverload = true
    /// Minutes after an alert without another one, unless the level rose.
    package var alertCooldownMinutes = 60
    /// Below this confidence, 0…1, nothing is told.
    package var alertConfidence = 0.5
    package var quietHours = true
    /// Local minutes since midnight; from later than to spans midnight.
    package var quietFrom = 22 * 60
    package var quietTo = 7 * 60
    package var dailySummary = true
    package var dailySummaryAt = 20 * 60
    package var weeklyInsight = true
    /// 1 Monday … 7 Sunday.
    package var weeklyDay = 1
    package var weeklyAt = 8 * 60
    package var achievements = true
    package var sleepGoalMinutes = 480
    /// nil = learnt from the nights.
    package var wakeAt: Int?
    package var bedtimeReminder = false
    /// Minutes before bedtime.
    package var bedtimeLeadMinutes = 30
    package var units = Units.metric
    package var loadConvention = LoadConvention.exponential
    /// Load per day that fitness and fatigue begin with; nil = the mean of the first weeks.
    package var startFitness: Double?
    /// Fitness may rise by this much in a week.
    package var rampCap = Guidance.usualRampCap
    package var morningMessage = true
    /// Local minutes since midnight.
    package var morningAt = 7 * 60
    package var theme = Theme.system
    package var hrvFigure = HRVFigure.rmssd

    package init() {}

    /// The settings of stored texts; what no longer passes has its default.
    package init(stored: [String: String]) {
        for setting in Self.all {
            guard let text = stored[setting.name] else { continue }
            try? setting.write(&self, text)
        }
    }

    /// The settings with one thing changed; nil sets it to its default.
    ///
    /// - Throws: ``Refusal`` `invalid` that says what would be right.
    package func changed(_ name: String, to value: String?) throws(Refusal) -> BodySettings {
        guard let setting = Self.all.first(where: { $0.name == name }) else {
            let names = Self.all.map(\.name).joined(separator: ", ")
            throw Refusal(
                code: "invalid", message: "there is no setting “\(name.prefix(40))”; there are \(names)")
        }
        var changed = self
        let text = value ?? setting.read(BodySettings())
        try setting.write(&changed, text.trimmingCharacters(in: .whitespaces))
        return changed
    }

    /// The value of a setting as text, or nil for a name that does not exist.
    package func text(of name: String) -> String? { Self.all.first { $0.name == name }?.read(self) }

    /// One setting as a person sees it.
    package struct Setting: Sendable {
        package let name: String
        /// What may be written: `0…1`, `on off`, `HH:MM`.
        package let range: String
        package let meaning: String
        let read: @Sendable (BodySettings) -> String
        let write: @Sendable (inout BodySettings, String) throws(Refusal) -> Void

        package var defaultValue: String { read(BodySettings()) }
    }
}
