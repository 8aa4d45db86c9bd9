/// What the listener wants of the long view: units, goals, alerts, quiet hours.
package struct GetBodySettings: Request {
    package typealias Reply = BodySettingList
    package static let target = ProcessName.body
    package static let name = "settings"
    package init() {}
}

/// Changes one setting of the long view.
package struct SetBodySetting: Request {
    package typealias Reply = BodySettingList
    package static let target = ProcessName.body
    package static let name = "settings-set"
    package var setting: String
    /// nil = back to the default.
    package var value: String?

    package init(setting: String, value: String? = nil) {
        self.setting = setting
        self.value = value
    }
}

/// Every setting of the long view.
package struct BodySettingList: Message {
    package var rows: [Row]

    package struct Row: Codable, Hashable, Sendable {
        package var name: String
        package var value: String
        package var standard: String
        /// What may be written: `0…1`, `on off`, `HH:MM`.
        package var range: String
        package var meaning: String

        package init(name: String, value: String, standard: String, range: String, meaning: String) {
            self.name = name
            self.value = value
            self.standard = standard
            self.range = range
            self.meaning = meaning
        }
    }

    package init(rows: [Row]) { self.rows = rows }
}
