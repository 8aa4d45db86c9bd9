import Foundation
import GRDB
import Physiology
import Protocols
import ServiceKit

/// Whether the computed figures are those of the stored records.
///
/// Whatever changes a record takes the mark away in the same transaction, so that a computation that was killed over is
/// made up for; a new version, another zone or another day asks for a new one, too.
enum ComputationMark {
    private static let name = "computed"

    static func text(at now: Timestamp, clock: LocalClock) -> String {
        "\(ResonanceVersion.current) \(clock.timeZone.identifier) \(clock.day(of: now))"
    }

    static func read(in db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
    }

    static func set(_ mark: String, in db: Database) throws { try SettingTable.set(name, to: mark, in: db) }

    /// Something changed that figures are computed from.
    ///
    /// Every change writes a mark of its own, so that a computation under way sees that it is late.
    static func clear(in db: Database) throws {
        let count = try read(in: db).flatMap { Int($0.split(separator: "#").last ?? "") } ?? 0
        try SettingTable.set(name, to: "stale #\(count + 1)", in: db)
    }
}

/// Settings by name, as texts.
enum SettingTable {
    static func all(in db: Database) throws -> [String: String] {
        try Row.fetchAll(db, sql: "SELECT name, value FROM setting")
            .reduce(into: [:]) { values, row in values[row["name"]] = row["value"] }
    }

    /// - Parameter value: nil = the default.
    static func set(_ name: String, to value: String?, in db: Database) throws {
        if let value {
            try db.execute(
                sql: "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", arguments: [name, value])
        } else {
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name])
        }
    }
}
