import Foundation
import Testing

@testable import Formats

struct LibraryReaderTests {
    @Test func `what a message quotes of a file stays out of a log`() throws {
        let bytes = Array(
            "<playlist><trackList><track><title>Don't Tell 'Anyone'</title></track></trackList></playlist>".utf8)
        let error = try #require(throws: FormatError.self) { try XSPFReader.read(bytes: bytes, name: "list.xspf") }
        #expect("\(error)".contains("Don't Tell 'Anyone'"))
        let logged = "\(error)".withoutQuotations
        #expect(logged.hasPrefix("list.xspf"))
        #expect(!logged.contains("Tell") && !logged.contains("Anyone"))
        #expect("no quotation".withoutQuotations == "no quotation")
        #expect("a lone ' mark".withoutQuotations == "a lone ' mark")
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `an extended M3U8 reads as its reference says`() throws {
        let playlist = try M3UReader.read(path: SharedData.path("playlists/basic.m3u8"))
        let expected = try #require(SharedData.json("playlists/expected.json")["basic.m3u8"] as? [String: Any])
        let tracks = try #require(expected["tracks"] as? [[String: Any]])
        #expect(playlist.title == expected["title"] as? String)
        #expect(playlist.tracks.count == tracks.count)
        for (track, expected) in zip(playlist.tracks, tracks) {
            #expect(track.title == expected["title"] as? String)
            #expect(track.artist == expected["artist"] as? String)
            #expect(track.seconds == expected["seconds"] as? Double)
            #expect(track.location == expected["location"] as? String)
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `an XSPF holds the same tracks as the M3U8 of the same playlist`() throws {
        let playlist = try XSPFReader.read(path: SharedData.path("playlists/basic.xspf"))
        let same = try M3UReader.read(path: SharedData.path("playlists/basic.m3u8"))
        #expect(playlist.title == same.title)
        #expect(playlist.tracks == Array(same.tracks.dropLast()))
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `an iTunes library reads as its reference says`() throws {
        let library = try MusicLibraryReader.read(path: SharedData.path("playlists/itunes_library_libpytunes.xml"))
        let expected = try #require(
            SharedData.json("playlists/expected.json")["itunes_library_libpytunes.xml"] as? [String: Any])
        #expect(library.applicationVersion == expected["application_version"] as? String)
        #expect(library.tracks.count == expected["tracks"] as? Int)
        #expect(library.music.count == expected["music_only"] as? Int)
        #expect(library.leftOut == [.video: 25, .podcast: 7])
        let milliseconds = library.tracks.reduce(0) { $0 + ($1.seconds ?? 0) * 1000 }
        #expect(Int(milliseconds.rounded()) == expected["total_time_ms"] as? Int)
        #expect(library.tracks.count { $0.playCount != nil } == expected["with_play_count"] as? Int)
        #expect(library.tracks.reduce(0) { $0 + ($1.playCount ?? 0) } == expected["sum_play_count"] as? Int)
        let kinds = Dictionary(grouping: library.tracks) { $0.kind ?? "null" }.mapValues(\.count)
        #expect(kinds == expected["kinds"] as? [String: Int])
        let playlists = try #require(expected["playlists"] as? [[String: Any]])
        #expect(library.playlists.map(\.name) == playlists.map { $0["name"] as? String })
        #expect(library.playlists.map(\.items.count) == playlists.map { $0["items"] as? Int })
        #expect(library.playlists.map(\.smart) == playlists.map { $0["smart"] as? Bool })
        #expect(library.playlists.filter(\.isUsers).map(\.name) == ["90’s Music", "Classical Music", "Jazz"])
        let written = try #require(library.writtenAt)
        #expect(library.tracks.allSatisfy { ($0.lastPlayedAt ?? .distantPast) <= written.addingTimeInterval(86_400) })
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `a features table of real songs reads whole`() throws {
        let table = try FeatureTable.read(path: SharedData.path("library/songs.csv"))
        #expect(table.rows.count == 2329)
        #expect(table.ignoredColumns.isEmpty)
        let first = try #require(table.rows.first)
        #expect(first.title == "Flowers" && first.artist == "Miley Cyrus" && first.year == 2023)
        #expect(first.tempoBpm == 118 && first.energy == 0.68 && first.durationSeconds == 200)
        #expect(first.instrumentalness == nil && first.loudnessLufs == nil && first.location == nil)
    }

    @Test func `an M3U that is not UTF-8 is Windows-1252 and an M3U8 that is not UTF-8 is refused`() throws {
        let bytes = Array("#EXTM3U\n#EXTINF:10,Bj".utf8) + [0xF6] + Array("rk - J\nb.mp3\n".utf8)
        #expect(try M3UReader.read(bytes: bytes, name: "old.m3u").tracks.first?.artist == "Björk")
        let error = #expect(throws: FormatError.self) { try M3UReader.read(bytes: bytes, name: "new.m3u8") }
        #expect(error?.place == .line(2))
    }

    @Test func `an M3U keeps what other programs write into it`() throws {
        let text = """
            #EXTM3U\r\n#EXTINF:-1 tvg-logo="a,b" group="x",Radio - One\r\nhttp://example.org/one\r
            #EXTINF:-1,Moderat - A New Error\r\nMusic\\Moderat\\A New Error.mp3\r
            #EXTALB:Takk…\r\n#EXTINF:5,X\r\nfile://localhost/m/%C3%A4.mp3\r\n
            """
        let playlist = try M3UReader.read(bytes: Array(text.utf8), name: "/lists/a.m3u8")
        #expect(
            playlist.tracks == [
                TrackEntry(title: "Radio - One", location: "http://example.org/one"),
                TrackEntry(title: "A New Error", artist: "Moderat", location: "Music/Moderat/A New Error.mp3"),
                TrackEntry(title: "X", seconds: 5, location: "/m/ä.mp3"),
            ])
        #expect(playlist.name == "a")
        #expect(playlist.tracks.map(\.isRemote) == [true, false, false])
        #expect(playlist.absoluteLocation(of: playlist.tracks[1]) == "/lists/Music/Moderat/A New Error.mp3")
    }

    @Test func `cells follow RFC 4180 and unknown stays unknown`() throws {
        let text = "artist,title,mood,tempoBpm,energy,rating\r\n\"A \"\"B\"\", C\",\"two\nlines\",calm; warm,0,,5\r\n"
        let table = try FeatureTable.read(bytes: Array(text.utf8), name: "f.csv")
        var row = FeatureRow(line: 2, title: "two\nlines", artist: "A \"B\", C")
        row.moods = ["calm", "warm"]
        #expect(table.rows == [row])
        #expect(table.ignoredColumns == ["rating"])
    }

    @Test(
        arguments: [
            ("title,artist,energy\na,b,0.5\nc,d,1.5\n", 3, "energy is 1.5, outside 0.0…1.0"),
            ("title,artist,energy\na,b,loud\n", 2, "energy is 'loud', not a number"),
            ("title,artist,tempoBpm\na,b,-3\n", 2, "tempoBpm is -3, outside 20.0…400.0"),
            ("title,artist,energy\na,b,nan\n", 2, "energy is 'nan', not a number"),
            ("title,artist\na,b\nc\n", 3, "has 1 cells, the first line has 2"),
            ("title,artist\na,\"b\n", 2, "a quoted cell that begins here never ends"),
            ("title,artist\na,\"b\"c\n", 2, "text follows a closing quote"),
            ("title,year\na,b\n", 1, "there is no column 'artist'"),
            ("title,artist,title\n", 1, "the column 'title' is there twice"),
            ("title,artist\n,b\n", 2, "title or artist is empty"),
        ] as [(text: String, line: Int, cause: String)])
    func `a bad cell is named by line and column`(text: String, line: Int, cause: String) throws {
        let error = #expect(throws: FormatError.self) {
            try FeatureTable.read(bytes: Array(text.utf8), name: "f.csv")
        }
        #expect(error?.place == .line(line))
        #expect(error?.cause == cause)
    }

    @Test func `a library leaves out what is not music and marks built-in playlists`() throws {
        func track(_ id: Int, _ fields: String) -> String {
            "<key>\(id)</key><dict><key>Track ID</key><integer>\(id)</integer>\(fields)</dict>"
        }
        let xml = """
            <plist version="1.0"><dict><key>Date</key><date>2026-01-02T03:04:05Z</date><key>Tracks</key><dict>
            \(track(1, "<key>Name</key><string>S</string><key>BPM</key><integer>92</integer><key>Play Date UTC</key><date>2040-02-06T04:28:16Z</date>"))
            \(track(2, "<key>Kind</key><string>Audible file</string>"))
            \(track(3, "<key>Location</key><string>file:///a/r.m4r</string>"))
            \(track(4, "<key>Voice Memo</key><true/>"))
            \(track(5, "<key>Track Type</key><string>URL</string>"))
            \(track(6, "<key>Kind</key><string>PDF document</string>"))
            \(track(7, "<key>iTunesU</key><true/>"))
            \(track(8, "<key>Podcast</key><true/>"))
            \(track(9, "<key>Music Video</key><true/>"))
            </dict><key>Playlists</key><array>
            <dict><key>Name</key><string>Library</string><key>Master</key><true/></dict>
            <dict><key>Name</key><string>Box</string><key>Folder</key><true/></dict>
            <dict><key>Name</key><string>Mine</string><key>Playlist Items</key><array>
            <dict><key>Track ID</key><integer>9</integer></dict><dict><key>Track ID</key><integer>1</integer></dict>
            </array></dict></array></dict></plist>
            """
        let library = try MusicLibraryReader.read(bytes: Array(xml.utf8), name: "Library.xml")
        #expect(library.music.map(\.id) == [1])
        #expect(library.music.first?.bpm == 92 && library.music.first?.lastPlayedAt == nil)
        #expect(
            library.tracks.map(\.leftOut) == [
                nil, .audiobook, .ringtone, .voiceMemo, .remote, .book, .course, .podcast, .video,
            ])
        #expect(library.playlists.map(\.isUsers) == [false, false, true])
        #expect(library.playlists.last?.items == [9, 1])
    }
}
