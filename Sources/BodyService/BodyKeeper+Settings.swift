import Bus
import Physiology
import Protocols
import Store

/// What the listener wants of the long view.
extension BodyKeeper {
    /// - Returns: false when the request is another one.
    func answerSettings(_ request: IncomingRequest) throws -> Bool {
        if try request.decode(GetBodySettings.self) != nil {
            request.reply(list(of: try settings()))
        } else if let query = try request.decode(SetBodySetting.self) {
            let changed = try settings().changed(query.setting, to: query.value)
            let text = query.value == nil ? nil : changed.text(of: query.setting)
            try store.file.write { db in
                try SettingTable.set(query.setting, to: text, in: db)
                try ComputationMark.clear(in: db)
            }
            request.reply(list(of: changed))
        } else {
            return false
        }
        return true
    }

    func settings() throws -> BodySettings {
        BodySettings(stored: try store.file.read { db in try SettingTable.all(in: db) })
    }

    private func list(of settings: BodySettings) -> BodySettingList {
        BodySettingList(
            rows: BodySettings.all.map { setting in
                BodySettingList.Row(
                    name: setting.name, value: settings.text(of: setting.name) ?? setting.defaultValue,
                    standard: setting.defaultValue, range: setting.range, meaning: setting.meaning)
            })
    }
}
