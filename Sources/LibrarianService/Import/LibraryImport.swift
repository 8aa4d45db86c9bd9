import Formats
import Foundation
import GRDB
import Music
import Protocols

/// One file on its way into the database, inside one transaction: all of it, or nothing.
struct LibraryImport {
    private let db: Database
    private let source: String
    private let hasArt: (String) -> Bool
    private let job: ImportJob
    private var index = SongIndex()
    private var outcome = ImportOutcome()
    private var added: Set<Int> = []
    private var updated: Set<Int> = []
    private var seen: Set<Int> = []

    /// - Parameters:
    ///   - source: absolute path of the file; its playlists replace those it brought before.
    ///   - hasArt: whether there is a picture in or beside the file at a location.
    ///   - job: hears of every song, and may end the import, which then leaves nothing.
    init(_ db: Database, source: String, hasArt: @escaping (String) -> Bool, job: ImportJob) throws {
        self.db = db
        self.source = source
        self.hasArt = hasArt
        self.job = job
        let songs = try Row.fetchCursor(db, sql: "SELECT \(SongRow.selection) FROM song s ORDER BY s.position")
        while let row = try songs.next() { _ = index.append(SongRow(row)) }
        let places = try Row.fetchCursor(db, sql: "SELECT location, songId FROM songLocation")
        while let row = try places.next() { index.note(location: row["location"], ofSong: row["songId"]) }
        index.beginFile()
    }

    /// Stores what the file holds.
    mutating func take(_ file: ImportSource) throws -> ImportOutcome {
        switch file {
        case .playlist(let playlist): try take(playlist)
        case .library(let library): try take(library)
        case .table(let table):
            for row in table.rows { _ = try take(IncomingSong(row)) }
            outcome.taken = table.rows.count
        }
        outcome.added = added.count
        outcome.updated = updated.subtracting(added).count
        outcome.unchanged = seen.subtracting(added).subtracting(updated).count
        if !added.isEmpty || !updated.isEmpty { outcome.changed = true }
        return outcome
    }

    private mutating func take(_ file: PlaylistFile) throws {
        var places: [Int] = []
        for entry in file.tracks {
            guard let song = IncomingSong(entry, in: file) else {
                outcome.leaveOut("stream")
                continue
            }
            places.append(try take(song))
            outcome.taken += 1
        }
        let id = SongIdentity.id(of: "playlist\u{1F}\(source)")
        try replacePlaylists(with: [.init(id: id, name: file.name, places: places)])
    }

    private mutating func take(_ file: LibraryFile) throws {
        for (reason, count) in file.leftOut { outcome.leaveOut(reason.rawValue, count) }
        var placeOfTrack: [Int: Int] = [:]
        for track in file.music {
            guard let song = IncomingSong(track) else {
                outcome.leaveOut("untitled")
                continue
            }
            placeOfTrack[track.id] = try take(song)
            outcome.taken += 1
        }
        var lists: [NewPlaylist] = []
        for (number, list) in file.playlists.enumerated() where list.isUsers {
            let places = list.items.compactMap { placeOfTrack[$0] }
            guard !places.isEmpty else { continue }
            let identity = list.persistentId ?? "\(source)\u{1F}\(number)\u{1F}\(list.name)"
            lists.append(
                .init(id: SongIdentity.id(of: "playlist\u{1F}\(identity)"), name: list.name, places: places))
        }
        try replacePlaylists(with: lists)
    }

    // MARK: Songs

    private mutating func take(_ new: IncomingSong) throws -> Int {
        try job.step()
        let place: Int
        if let known = index.match(new) {
            place = known
            try merge(new, into: known)
        } else {
            place = try add(new)
        }
        index.claim(place)
        seen.insert(place)
        if let location = new.song.location, !index.holds(location: location) {
            try db.cachedStatement(sql: "INSERT INTO songLocation (location, songId) VALUES (?, ?)")
                .execute(arguments: [location, index.rows[place].song.id])
            index.note(location: location, of: place)
        }
        return place
    }

    private mutating func add(_ new: IncomingSong) throws -> Int {
        var row = SongRow(
            song: new.song, persistentId: new.persistentId, identity: new.identity, tagSource: new.tagSource)
        row.song.id = index.newId(for: new)
        row.song.hasArt = new.song.location.map(hasArt) ?? false
        try db.cachedStatement(sql: SongRow.insertSQL).execute(arguments: StatementArguments(row.values))
        let place = index.append(row)
        added.insert(place)
        return place
    }

    private mutating func merge(_ new: IncomingSong, into place: Int) throws {
        var row = index.rows[place]
        row.merge(new)
        if row.song.location != index.rows[place].song.location || !row.song.hasArt {
            row.song.hasArt = row.song.location.map(hasArt) ?? false
        }
        guard row != index.rows[place] else { return }
        try db.cachedStatement(sql: SongRow.updateSQL)
            .execute(arguments: StatementArguments(Array(row.values.dropFirst()) + [row.song.id]))
        index.update(place, row)
        updated.insert(place)
    }

    // MARK: Playlists

    private struct NewPlaylist {
        var id: String
        var name: String
        /// In the order of the file, with repeats.
        var places: [Int]
    }

    /// The playlists of this file become exactly these; one that is gone from the file goes.
    private mutating func replacePlaylists(with lists: [NewPlaylist]) throws {
        outcome.playlists = lists.count
        let before = try String.fetchAll(db, sql: "SELECT id FROM playlist WHERE source = ?", arguments: [source])
        for id in Set(before).subtracting(lists.map(\.id)).sorted() {
            try db.execute(sql: "DELETE FROM playlist WHERE id = ?", arguments: [id])
            outcome.changed = true
        }
        for list in lists { try replace(list) }
    }

    private mutating func replace(_ list: NewPlaylist) throws {
        var members: Set<Int> = []
        let places = list.places.filter { members.insert($0).inserted }
        if places.count < list.places.count {
            outcome.leaveOut("repeated in its playlist", list.places.count - places.count)
        }
        let songs = places.map { index.rows[$0].song.id }
        let old = try Row.fetchOne(db, sql: "SELECT name, source FROM playlist WHERE id = ?", arguments: [list.id])
        let oldSongs = try String.fetchAll(
            db, sql: "SELECT songId FROM playlistEntry WHERE playlistId = ? ORDER BY position", arguments: [list.id])
        if let old, old["name"] == list.name, old["source"] == source, oldSongs == songs { return }
        outcome.changed = true
        try db.execute(
            sql: """
                INSERT INTO playlist (id, name, foldedName, source) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, foldedName = excluded.foldedName,
                source = excluded.source
                """, arguments: [list.id, list.name, folded(list.name), source])
        try db.execute(sql: "DELETE FROM playlistEntry WHERE playlistId = ?", arguments: [list.id])
        let insert = try db.cachedStatement(
            sql: "INSERT INTO playlistEntry (playlistId, position, songId) VALUES (?, ?, ?)")
        for (position, song) in songs.enumerated() { try insert.execute(arguments: [list.id, position, song]) }
    }
}
