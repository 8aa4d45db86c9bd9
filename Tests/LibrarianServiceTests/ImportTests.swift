import Foundation
import LibrarianService
import Protocols
import Testing

struct ImportTests {
    private static let table = """
        title,artist,genre,tempoBpm,energy,durationSeconds
        Blue Hour,The Lamps,pop,120,0.6,200
        Blue Hour (Live),The Lamps,pop,122,0.7,230
        Slow Boat,Mara feat. Lin,jazz,0,,180
        """
    private static let playlist = """
        #EXTM3U
        #PLAYLIST:Evening
        #EXTINF:180,Mara - Slow Boat
        Mara/Slow Boat.flac
        #EXTINF:201,The Lamps - Blue Hour
        The Lamps/Blue Hour.flac
        #EXTINF:180,Mara - Slow Boat
        Mara/Slow Boat.flac
        #EXTINF:-1,Radio
        http://127.0.0.1/stream
        """

    @Test func `the same file again adds and changes nothing`() throws {
        let workshop = try Workshop()
        let table = try workshop.write("songs.csv", Self.table)
        let playlist = try workshop.write("evening.m3u8", Self.playlist)
        let first = try workshop.catalog.importFiles([table, playlist])
        #expect((first.added, first.playlists) == (3, 1))
        let before = try workshop.dump()
        let second = try workshop.catalog.importFiles([table, playlist])
        #expect((second.added, second.updated) == (0, 0))
        #expect(second.revision == first.revision)
        #expect(try workshop.dump() == before)
    }

    @Test func `an entry is the song of the table, in the order of the playlist, once`() throws {
        let workshop = try Workshop()
        let report = try workshop.catalog.importFiles([
            try workshop.write("songs.csv", Self.table), try workshop.write("evening.m3u8", Self.playlist),
        ])
        #expect(report.leftOut == ["stream": 1, "repeated in its playlist": 1])
        let songs = try workshop.allSongs(["evening"])
        #expect(songs.map(\.title) == ["Slow Boat", "Blue Hour"])
        #expect(songs.map(\.durationMs) == [180_000, 200_000])
        #expect(songs[0].location?.hasSuffix("/Mara/Slow Boat.flac") == true)
    }

    @Test func `a playlist that comes before the table ends in the same songs`() throws {
        let workshop = try Workshop()
        _ = try workshop.catalog.importFiles([
            try workshop.write("evening.m3u8", Self.playlist), try workshop.write("songs.csv", Self.table),
        ])
        let songs = try workshop.allSongs()
        #expect(songs.map(\.title) == ["Slow Boat", "Blue Hour", "Blue Hour (Live)"])
        #expect(songs[1].energy == 0.6)
        #expect(songs[1].genres == ["pop"])
    }

    @Test func `a tempo of zero and an empty cell are unknown`() throws {
        let workshop = try Workshop()
        _ = try workshop.catalog.importFiles([try workshop.write("songs.csv", Self.table)])
        let song = try workshop.catalog.song("slow boat").song
        #expect(song.tempo == nil)
        #expect(song.energy == nil)
        #expect(try workshop.catalog.revision() == .init(revision: 1, songs: 3, playlists: 0, analysed: 2, pending: 1))
    }

    @Test func `a correction survives every import until it is taken back`() throws {
        let workshop = try Workshop()
        let table = try workshop.write("songs.csv", Self.table)
        _ = try workshop.catalog.importFiles([table])
        let id = try #require(try workshop.allSongs().first).id
        let corrected = try workshop.catalog.correct(
            CorrectSong(song: id, tempoBpm: 60, energy: 0.2, moods: ["dark", " slow "]))
        #expect(corrected.song.tempo == TempoEstimate(bpm: 60, confidence: 1, source: "user"))
        #expect(corrected.song.corrected == ["tempo", "energy", "moods"])
        try workshop.write("songs.csv", Self.table.replacing("120,0.6", with: "121,0.9"))
        _ = try workshop.catalog.importFiles([table])
        let kept = try workshop.catalog.song(id).song
        #expect(kept.tempo?.bpm == 60)
        #expect(kept.energy == 0.2)
        #expect(kept.moods == ["dark", "slow"])
        let back = try workshop.catalog.correct(CorrectSong(song: id, clear: ["tempo", "energy", "moods"])).song
        #expect(back.tempo?.bpm == 121)
        #expect(back.energy == 0.9)
        #expect(back.corrected == [])
    }

    @Test(arguments: [
        CorrectSong(song: "x", tempoBpm: 19), CorrectSong(song: "x", tempoBpm: 301),
        CorrectSong(song: "x", energy: 1.1),
        CorrectSong(song: "x", valence: -0.1), CorrectSong(song: "x", clear: ["title"]), CorrectSong(song: "x"),
        CorrectSong(song: "x", energy: .nan),
    ])
    func `a correction out of range is refused`(request: CorrectSong) throws {
        let workshop = try Workshop()
        let refusal = try #require(throws: Refusal.self) { try workshop.catalog.correct(request) }
        #expect(refusal.code == "invalid")
    }

    @Test func `only files that changed are read again where that is asked for`() throws {
        let workshop = try Workshop()
        let table = try workshop.write("songs.csv", Self.table)
        #expect(try workshop.catalog.importFiles([table], onlyChanged: true).files.count == 1)
        #expect(try workshop.catalog.importFiles([table], onlyChanged: true).files == [])
        try workshop.write("songs.csv", Self.table + "\nNew One,Mara,pop,99,0.3,150\n")
        #expect(try workshop.catalog.importFiles([table], onlyChanged: true).added == 1)
        #expect(try workshop.catalog.importFiles([table]).files.count == 1)
    }

    @Test func `a song that several titles fit is refused with the candidates`() throws {
        let workshop = try Workshop()
        _ = try workshop.catalog.importFiles([try workshop.write("songs.csv", Self.table)])
        #expect(try workshop.catalog.song("blue hour").song.title == "Blue Hour")
        let refusal = try #require(throws: Refusal.self) { try workshop.catalog.song("lamps") }
        #expect(refusal.code == "ambiguous")
        for song in try workshop.allSongs().prefix(2) { #expect(refusal.message.contains(song.id)) }
        #expect(throws: Refusal.self) { try workshop.catalog.song("nothing of the kind") }
        // As many as it says, or it says that there are others.
        for count in [6, 8, 9] {
            let many = try Workshop()
            let rows = (1...count).map { "Floating Home,Artist \($0),pop,99,0.3,150" }
            let header = try #require(Self.table.split(separator: "\n").first)
            _ = try many.catalog.importFiles([
                try many.write("songs.csv", ([String(header)] + rows).joined(separator: "\n") + "\n")
            ])
            let refusal = try #require(throws: Refusal.self) { try many.catalog.song("Floating_Home") }
            #expect(refusal.message.hasPrefix("\(count) songs match 'Floating_Home'"))
            #expect(try many.allSongs().filter { refusal.message.contains($0.id) }.count == min(count, 8))
            #expect(refusal.message.contains("and others") == (count > 8))
        }
        #expect(try workshop.catalog.songs(ListSongs(search: "LÁMPS live")).songs.map(\.title) == ["Blue Hour (Live)"])
        #expect(try workshop.catalog.songs(ListSongs(search: "%")).total == 0)
    }

    @Test func `a playlist that was changed is replaced and keeps its id`() throws {
        let workshop = try Workshop()
        let path = try workshop.write("evening.m3u8", Self.playlist)
        _ = try workshop.catalog.importFiles([path])
        let before = try workshop.catalog.playlists()
        try workshop.write(
            "evening.m3u8", "#EXTM3U\n#PLAYLIST:Night\n#EXTINF:180,Mara - Slow Boat\nMara/Slow Boat.flac\n")
        _ = try workshop.catalog.importFiles([path])
        let after = try workshop.catalog.playlists()
        #expect(after.map(\.id) == before.map(\.id))
        #expect(after.map(\.name) == ["Night"])
        #expect(after.map(\.songs) == [1])
    }

    @Test func `the ids of a library are the same on another machine`() throws {
        let ids = try (0..<2).map { _ in
            let workshop = try Workshop()
            _ = try workshop.catalog.importFiles([try workshop.write("songs.csv", Self.table)])
            return try workshop.allSongs().map(\.id)
        }
        #expect(ids[0] == ids[1])
        #expect(Set(ids[0]).count == 3)
    }

    @Test func `a page holds at most five hundred songs`() throws {
        let workshop = try Workshop()
        let rows = (0..<1203).map { "Song number \($0),Artist \($0 % 7),100" }.joined(separator: "\n")
        _ = try workshop.catalog.importFiles([try workshop.write("songs.csv", "title,artist,tempoBpm\n\(rows)\n")])
        let page = try workshop.catalog.songs(ListSongs(offset: 0, limit: 10_000))
        #expect((page.songs.count, page.total) == (500, 1203))
        #expect(try workshop.allSongs().map(\.title) == (0..<1203).map { "Song number \($0)" })
        let refusal = try #require(throws: Refusal.self) { try workshop.catalog.songs(ListSongs(offset: -1)) }
        #expect(refusal.code == "invalid")
    }

    @Test func `two playlists of one name are refused by name and found by id`() throws {
        let workshop = try Workshop()
        _ = try workshop.catalog.importFiles([
            try workshop.write("a/evening.m3u8", Self.playlist), try workshop.write("b/evening.m3u8", Self.playlist),
        ])
        let refusal = try #require(throws: Refusal.self) {
            try workshop.catalog.songs(ListSongs(playlists: ["Evening"]))
        }
        #expect(refusal.code == "ambiguous")
        let ids = try workshop.catalog.playlists().map(\.id)
        #expect(try workshop.catalog.songs(ListSongs(playlists: [ids[1], "none"])).missing == ["none"])
        #expect(try workshop.allSongs(ids).count == 2)
    }
}
