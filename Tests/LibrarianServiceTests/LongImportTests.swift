import Bus
import Foundation
import LibrarianService
import Logging
import Protocols
import ServiceKit
import Testing

extension LockStep {
    /// A bus with a librarian on it.
    static func withLibrarian(_ catalog: Catalog, atStart: [String] = []) async -> LockStep {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        let bus = LockStep(start: start)
        let librarian = Librarian(
            catalog: catalog, thumbnails: ThumbnailMaker(executable: URL(filePath: "/bin/false")), listener: "me",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, atStart: atStart)
        bus.add(librarian, as: .librarian)
        await bus.step(to: start)
        return bus
    }

    /// Asks how the import is until it is as wished.
    func importState(until isReached: (ImportState) -> Bool) async throws -> ImportState {
        while true {
            let state = try await request(GetImport())
            if isReached(state) { return state }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Imports and waits for the end.
    func importing(_ paths: [String]) async throws -> ImportReport {
        _ = try await request(StartImport(paths: paths))
        let state = try await importState { !$0.isRunning }
        #expect(state.phase == .done)
        await step(to: now)
        return try #require(state.report)
    }
}

/// An import of minutes leaves the librarian free, and can be ended at any moment.
@Suite(.timeLimit(.minutes(5)))
struct LongImportTests {
    private static let songs = 30_000

    private static func bigTable(_ workshop: Workshop, _ name: String = "big.csv") throws -> String {
        var text = "title,artist,tempoBpm,energy\n"
        for number in 0..<songs { text += "Song \(number),Artist \(number % 900),\(60 + number % 120),0.5\n" }
        return try workshop.write(name, text)
    }

    @Test func `everything else is answered while a large file is stored, and its progress is told`() async throws {
        let workshop = try Workshop()
        let bus = await LockStep.withLibrarian(workshop.catalog)
        _ = try await bus.importing([try workshop.write("small.csv", "title,artist\nBlue Hour,The Lamps\n")])
        let begun = try await bus.request(StartImport(paths: [try Self.bigTable(workshop)]))
        #expect(begun.isRunning)
        let storing = try await bus.importState { $0.phase == .storing && $0.rows > 0 || !$0.isRunning }
        #expect(storing.phase == .storing)
        #expect(storing.totalRows == Self.songs && storing.fileNumber == 1 && storing.fileCount == 1)

        // The library as it was, without waiting for the transaction that is under way.
        #expect(try await bus.request(ListSongs()).total == 1)
        #expect(try await bus.request(GetSong(song: "blue hour")).song.artist == "The Lamps")
        #expect(try await bus.request(ListPlaylists()).playlists == [])
        for refused in [
            await #expect(throws: Refusal.self) { try await bus.request(StartImport(paths: ["/x.csv"])) },
            await #expect(throws: Refusal.self) { try await bus.request(CorrectSong(song: "blue hour", energy: 1)) },
        ] { #expect(refused?.code == "busy") }
        #expect(try await bus.request(GetImport()).isRunning)

        let done = try await bus.importState { !$0.isRunning }
        #expect(done.phase == .done)
        #expect(done.report?.added == Self.songs)
        #expect(try await bus.request(ListSongs()).total == Self.songs + 1)
        await bus.step(to: bus.now)
        #expect(try bus.messages(of: Registry.library).last?.songs == Self.songs + 1)
    }

    @Test func `what the command line asks for is imported on the bus, with progress, and told afterwards`()
        async throws
    {
        let workshop = try Workshop()
        let big = try Self.bigTable(workshop)
        let none = workshop.url.appending(path: "none.csv").path(percentEncoded: false)
        let bus = await LockStep.withLibrarian(workshop.catalog, atStart: [none, big])
        // On the bus, and answering, long before it is done.
        let storing = try await bus.importState { $0.phase == .storing && $0.rows > 0 || !$0.isRunning }
        #expect(storing.phase == .storing && storing.totalRows == Self.songs && storing.fileCount == 2)
        let done = try await bus.importState { !$0.isRunning }
        #expect(done.phase == .done)
        #expect(done.report?.added == Self.songs)
        #expect(done.report?.files.map { $0.error == nil } == [false, true])
        // The next start has nothing to do, and says so.
        let again = await LockStep.withLibrarian(workshop.catalog, atStart: [big])
        let idle = try await again.importState { !$0.isRunning }
        #expect(idle.phase == .done && idle.report?.files == [])
    }

    @Test func `on virtual time the music is there before the first step`() async throws {
        let workshop = try Workshop()
        let table = try workshop.write("small.csv", "title,artist\nBlue Hour,The Lamps\n")
        let environment = ServiceEnvironment(
            process: .librarian, dataDirectory: workshop.url.appending(path: "virtual"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, isVirtual: true)
        try FileManager.default.createDirectory(at: environment.dataDirectory, withIntermediateDirectories: true)
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        let bus = LockStep(start: start)
        bus.add(
            try buildLibrarian(environment, libraries: [table], thumbnailer: URL(filePath: "/bin/false")),
            as: .librarian)
        await bus.step(to: start)
        #expect(try await bus.request(ListSongs()).total == 1)
        let state = try await bus.request(GetImport())
        #expect(state.phase == .done && state.report?.added == 1)
    }

    @Test func `an import that is cancelled leaves the files before it and nothing of its own`() async throws {
        let workshop = try Workshop()
        let bus = await LockStep.withLibrarian(workshop.catalog)
        let small = try workshop.write("small.csv", "title,artist\nBlue Hour,The Lamps\n")
        _ = try await bus.request(StartImport(paths: [small, try Self.bigTable(workshop)]))
        _ = try await bus.importState { $0.fileNumber == 2 && $0.rows > 0 }
        _ = try await bus.request(CancelImport())
        let end = try await bus.importState { !$0.isRunning }
        #expect(end.phase == .cancelled)
        #expect(end.report?.files.map(\.path) == [small])
        #expect(try await bus.request(ListSongs()).total == 1)
        // It can begin again.
        #expect(try await bus.importing([small]).unchanged == 1)
    }

    @Test func `the end of the process ends the import, and nothing is half imported`() async throws {
        let workshop = try Workshop()
        let data = workshop.url.appending(path: "other")
        do {
            let bus = await LockStep.withLibrarian(try Catalog(directory: data))
            _ = try await bus.request(StartImport(paths: [try Self.bigTable(workshop)]))
            _ = try await bus.importState { $0.rows > 0 }
            await bus.finish(.librarian)
        }
        #expect(try Catalog(directory: data).revision().songs == 0)
    }

    @Test func `deleting everything ends the import first`() async throws {
        let workshop = try Workshop()
        let bus = await LockStep.withLibrarian(workshop.catalog)
        _ = try await bus.request(StartImport(paths: [try Self.bigTable(workshop)]))
        _ = try await bus.importState { $0.rows > 0 }
        let _: Done = try await bus.request(.librarian, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        #expect(try await bus.request(ListSongs()).total == 0)
        #expect(try workshop.catalog.revision().songs == 0)
    }
}
