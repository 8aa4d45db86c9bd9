import Foundation
import GRDB
import Protocols
import Store

extension Catalog {
    /// Stores what the user knows better, apart from the song, so that no import touches it.
    ///
    /// - Throws: ``Refusal``: `invalid` for a value out of range, `not-found`, `ambiguous`.
    package func correct(_ request: CorrectSong) throws -> SongReply {
        try Self.check(request)
        return try file.write { db in
            let id = try Self.song(request.song, db).song.id
            let before = try Row.fetchOne(db, sql: "SELECT * FROM correction WHERE songId = ?", arguments: [id])
            let cleared = Set(request.clear)
            func kept<Value: DatabaseValueConvertible>(_ name: String, _ column: String, _ new: Value?) -> Value? {
                new ?? (cleared.contains(name) ? nil : before?[column])
            }
            let bpm = kept("tempo", "tempoBpm", request.tempoBpm)
            let energy = kept("energy", "energy", request.energy)
            let valence = kept("valence", "valence", request.valence)
            let moods = kept("moods", "moods", request.moods.map { SongRow.joined(Self.trimmed($0)) ?? "" })
            try db.execute(sql: "DELETE FROM correction WHERE songId = ?", arguments: [id])
            if bpm != nil || energy != nil || valence != nil || moods != nil {
                try db.execute(
                    sql: "INSERT INTO correction (songId, tempoBpm, energy, valence, moods) VALUES (?, ?, ?, ?, ?)",
                    arguments: [id, bpm, energy, valence, moods])
            }
            try Self.raiseRevision(db)
            return try Self.song(id, db)
        }
    }

    static func raiseRevision(_ db: Database) throws {
        try db.execute(sql: "UPDATE libraryState SET revision = revision + 1")
    }

    /// Deletes everything on disk. The revision goes on, so that readers notice.
    package func deleteAll() throws {
        let before = (try? revision().revision) ?? 0
        try file.wipe()
        try file.write { db in
            try db.execute(sql: "UPDATE libraryState SET revision = ?", arguments: [before + 1])
        }
    }

    private static func trimmed(_ words: [String]) -> [String] {
        words.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
    }

    private static func check(_ request: CorrectSong) throws(Refusal) {
        if let bpm = request.tempoBpm, !(20...300).contains(bpm) {
            throw Refusal(code: "invalid", message: "a tempo must be 20…300 beats per minute")
        }
        for (name, value) in [("energy", request.energy), ("valence", request.valence)] {
            if let value, !(0...1).contains(value) {
                throw Refusal(code: "invalid", message: "\(name) must be 0…1")
            }
        }
        if let moods = request.moods, moods.count > 20 || moods.contains(where: { $0.count > 60 }) {
            throw Refusal(code: "invalid", message: "at most 20 mood words of up to 60 characters")
        }
        if let unknown = request.clear.first(where: { !Self.correctable.contains($0) }) {
            throw Refusal(
                code: "invalid",
                message: "'\(unknown)' cannot be taken back: choose \(Self.correctable.joined(separator: ", "))")
        }
        if request.tempoBpm == nil, request.energy == nil, request.valence == nil, request.moods == nil,
            request.clear.isEmpty
        {
            throw Refusal(code: "invalid", message: "nothing to correct: give a tempo, energy, valence or moods")
        }
    }
}
