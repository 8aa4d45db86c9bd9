import Bus
import Foundation
import LibrarianService
import Logging
import Protocols
import Testing

struct LibrarianTests {
    private func bus(_ catalog: Catalog) async -> LockStep { await .withLibrarian(catalog) }

    @Test func `an import is answered and told as a new revision`() async throws {
        let workshop = try Workshop()
        let bus = await bus(workshop.catalog)
        let path = try workshop.write("songs.csv", "title,artist,tempoBpm,energy\nBlue Hour,The Lamps,120,0.5\n")
        let report = try await bus.importing([path])
        #expect(report.added == 1)
        let song = try await bus.request(GetSong(song: "blue hour")).song
        #expect(song.artist == "The Lamps")
        #expect(try await bus.request(ListSongs()).songs == [song])
        #expect(try await bus.request(ListPlaylists()).playlists == [])
        let revisions = try bus.messages(of: Registry.library)
        #expect(revisions.map(\.songs) == [0, 1])
        #expect(revisions.last?.revision == report.revision)
    }

    @Test func `everything is deleted on the right words alone and no byte of it stays`() async throws {
        let workshop = try Workshop()
        let bus = await bus(workshop.catalog)
        let secret = "Whispered \(UUID().uuidString)"
        let path = try workshop.write("songs.csv", "title,artist\n\(secret),The Lamps\n")
        _ = try await bus.importing([path])
        func bytes() throws -> Data {
            let data = workshop.url.appending(path: "data")
            return try FileManager.default.contentsOfDirectory(atPath: data.path(percentEncoded: false))
                .reduce(into: Data()) { $0 += try Data(contentsOf: data.appending(path: $1)) }
        }
        #expect(try bytes().range(of: Data(secret.utf8)) != nil)
        await #expect(throws: Refusal.self) {
            let _: Done = try await bus.request(.librarian, DeleteData.name, DeleteData(confirmation: "yes"))
        }
        let before = try workshop.catalog.revision().revision
        let _: Done = try await bus.request(.librarian, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        #expect(try bytes().range(of: Data(secret.utf8)) == nil)
        #expect(try bytes().range(of: Data("Lamps".utf8)) == nil)
        #expect(
            try bus.messages(of: Registry.library).last
                == .init(
                    revision: before + 1, songs: 0, playlists: 0, analysed: 0, pending: 0))
    }

    @Test func `a restart keeps songs, playlists and corrections`() async throws {
        let workshop = try Workshop()
        let data = workshop.url.appending(path: "other")
        let path = try workshop.write("songs.csv", "title,artist,tempoBpm\nBlue Hour,The Lamps,120\n")
        let list = try workshop.write("a.m3u8", "#EXTINF:1,The Lamps - Blue Hour\nblue.mp3\n")
        do {
            let bus = await bus(try Catalog(directory: data))
            _ = try await bus.importing([path, list])
            _ = try await bus.request(CorrectSong(song: "blue hour", energy: 0.25))
            await bus.finish(.librarian)
        }
        let again = try Catalog(directory: data)
        #expect(try again.song("blue hour").song.energy == 0.25)
        #expect(try again.song("blue hour").playlists == ["a"])
    }

    @Test func `an export holds every song`() async throws {
        let workshop = try Workshop()
        let bus = await bus(workshop.catalog)
        let path = try workshop.write("songs.csv", "title,artist\nBlue Hour,The Lamps\n")
        _ = try await bus.importing([path])
        let out = workshop.url.appending(path: "out.jsonl").path(percentEncoded: false)
        let exported: Exported = try await bus.request(.librarian, ExportData.name, ExportData(path: out))
        // The song, the revision and the imported file.
        #expect(exported.rows == 3)
        #expect(try String(contentsOfFile: out, encoding: .utf8).contains("\"title\":\"Blue Hour\""))
    }

    @Test func `what nobody agreed on is refused by name`() async throws {
        let bus = await bus(try Workshop().catalog)
        let refusal = await #expect(throws: Refusal.self) {
            let _: Done = try await bus.request(.librarian, "dance", Done())
        }
        #expect(refusal?.code == "unknown-request")
    }
}
