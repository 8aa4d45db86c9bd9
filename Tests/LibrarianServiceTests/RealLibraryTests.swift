import Foundation
import LibrarianService
import Protocols
import Testing

@Suite(.enabled(if: SharedData.file("library/songs.csv") != nil, "no shared data folder beside the project"))
struct RealLibraryTests {
    @Test func `every entry of every playlist is one of the 2329 real songs`() throws {
        let folder = try #require(SharedData.file("library"))
        let workshop = try Workshop()
        let report = try workshop.catalog.importFiles([folder.path(percentEncoded: false)])
        #expect(report.files.allSatisfy { $0.error == nil })
        #expect(report.added == 2329)
        #expect(report.leftOut == [:])
        #expect(try workshop.catalog.revision().songs == 2329)
        let summaries = try workshop.catalog.playlists()
        #expect(summaries.count == 6)
        for summary in summaries {
            // Read here with nothing of ours: the lines that are not comments.
            let lines = try String(contentsOfFile: summary.source, encoding: .utf8).split(separator: "\n")
            let titles = lines.filter { $0.hasPrefix("#EXTINF") }.map { line in
                line.split(separator: ",", maxSplits: 1)[1].split(separator: " - ", maxSplits: 1).last.map(String.init)
            }
            let songs = try workshop.allSongs([summary.name])
            #expect(songs.count == titles.count, "\(summary.name)")
            #expect(songs.allSatisfy { $0.energy != nil && $0.durationMs != nil }, "\(summary.name)")
            let same = zip(songs, titles).count { song, title in
                title.map { song.title.hasSuffix($0) || $0.hasSuffix(song.title) } ?? false
            }
            #expect(same == songs.count, "\(summary.name)")
        }
        let again = try workshop.catalog.importFiles([folder.path(percentEncoded: false)])
        #expect((again.added, again.updated) == (0, 0))
        #expect(again.revision == report.revision)
    }

    @Test func `of a real iTunes library the music is taken and the rest counted`() throws {
        let file = try #require(SharedData.file("playlists/itunes_library_libpytunes.xml"))
        let workshop = try Workshop()
        let report = try workshop.catalog.importFiles([file.path(percentEncoded: false)])
        // `expected.json`: 402 tracks, 370 of them music.
        #expect(report.files.first?.taken == 370)
        #expect(report.leftOut.values.reduce(0, +) == 32)
        #expect(report.added == 370)
        let again = try workshop.catalog.importFiles([file.path(percentEncoded: false)])
        #expect((again.added, again.updated, again.unchanged) == (0, 0, 370))
        let names = try workshop.catalog.playlists().map(\.name)
        #expect(!names.contains("Library") && !names.contains("Films") && !names.contains("Podcasts"))
    }
}
