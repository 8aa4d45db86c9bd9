/// Every preference with its range.
package struct GetPreferences: Request {
    package typealias Reply = PreferenceList
    package static let target = ProcessName.brain
    package static let name = "prefs"
    package init() {}
}

/// Changes one preference.
package struct SetPreference: Request {
    package typealias Reply = PreferenceList
    package static let target = ProcessName.brain
    package static let name = "prefs-set"
    package var name: String
    /// nil = back to the default.
    package var value: String?

    package init(name: String, value: String? = nil) {
        self.name = name
        self.value = value
    }
}

/// All preferences back to their defaults.
package struct ResetPreferences: Request {
    package typealias Reply = PreferenceList
    package static let target = ProcessName.brain
    package static let name = "prefs-reset"
    package init() {}
}

/// One preference, as text.
package struct Preference: Codable, Hashable, Sendable {
    package var name: String
    package var value: String
    package var defaultValue: String
    package var range: String
    package var unit: String
    package var summary: String

    package init(name: String, value: String, defaultValue: String, range: String, unit: String, summary: String) {
        self.name = name
        self.value = value
        self.defaultValue = defaultValue
        self.range = range
        self.unit = unit
        self.summary = summary
    }
}

/// The preferences.
package struct PreferenceList: Message {
    package var preferences: [Preference]
    /// What else changed, such as weights that were normalised to 1.
    package var notice: String?

    package init(preferences: [Preference], notice: String? = nil) {
        self.preferences = preferences
        self.notice = notice
    }
}
