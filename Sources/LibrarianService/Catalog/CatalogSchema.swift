import GRDB

/// The tables of `library.sqlite`, version by version. A released migration never changes.
package enum CatalogSchema {
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 library") { db in
            try createSongs(in: db)
            try createPlaylists(in: db)
            try db.create(table: "libraryState") { table in
                table.primaryKey("id", .integer).check { $0 == 1 }
                table.column("revision", .integer).notNull()
            }
            try db.execute(sql: "INSERT INTO libraryState VALUES (1, 0)")
        }
        migrator.registerMigration("2 imported files") { db in
            try db.create(table: "importedFile") { table in
                table.primaryKey("path", .text)
                // Size and time of change, as FileStamp writes them.
                table.column("stamp", .text).notNull()
            }
        }
        return migrator
    }

    private static func createSongs(in db: Database) throws {
        try db.create(table: "song") { table in
            // Order of arrival: the order of the library.
            table.autoIncrementedPrimaryKey("position")
            table.column("id", .text).notNull().unique()
            table.column("persistentId", .text).unique()
            // Folded artist, base title and version words: see SongIdentity.
            table.column("identity", .text).notNull()
            // Folded title, and all folded words, for finding.
            table.column("foldedTitle", .text).notNull().indexed()
            table.column("words", .text).notNull()
            table.column("title", .text).notNull()
            table.column("artist", .text).notNull()
            for name in ["albumArtist", "album", "genres", "location", "musicalKey", "moods", "tempoSource"] {
                table.column(name, .text)
            }
            for name in ["year", "durationMs", "playCount", "skipCount", "lastPlayedAt", "addedAt"] {
                table.column(name, .integer)
            }
            for name in [
                "tempoBpm", "tempoConfidence", "energy", "valence", "instrumentalness", "acousticDensity",
                "acousticness", "danceability", "speechiness", "loudnessLufs",
            ] {
                table.column(name, .double)
            }
            table.column("playable", .boolean).notNull()
            table.column("hasArt", .boolean).notNull()
            // How well the source of title, artist and album knows them: see TagSource.
            table.column("tagRank", .integer).notNull()
        }
        try db.create(table: "songLocation") { table in
            table.primaryKey("location", .text)
            table.column("songId", .text).notNull().indexed().references("song", column: "id", onDelete: .cascade)
        }
        try db.create(table: "correction") { table in
            table.primaryKey("songId", .text).references("song", column: "id", onDelete: .cascade)
            for name in ["tempoBpm", "energy", "valence"] { table.column(name, .double) }
            table.column("moods", .text)
        }
    }

    private static func createPlaylists(in db: Database) throws {
        try db.create(table: "playlist") { table in
            table.autoIncrementedPrimaryKey("position")
            table.column("id", .text).notNull().unique()
            table.column("name", .text).notNull()
            table.column("foldedName", .text).notNull().indexed()
            // The file it came from; a file's playlists are replaced together.
            table.column("source", .text).notNull().indexed()
        }
        try db.create(table: "playlistEntry") { table in
            table.column("playlistId", .text).notNull().references("playlist", column: "id", onDelete: .cascade)
            table.column("position", .integer).notNull()
            table.column("songId", .text).notNull().indexed().references("song", column: "id", onDelete: .cascade)
            table.primaryKey(["playlistId", "position"])
            table.uniqueKey(["playlistId", "songId"])
        }
    }
}
