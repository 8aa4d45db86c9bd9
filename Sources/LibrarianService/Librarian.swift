import Bus
import Dispatch
import Formats
import Foundation
import Logging
import Protocols
import Store

/// Keeps the listener's own music: imports it, answers for it, and says when it changed.
package actor Librarian: BusService {
    package nonisolated let subscriptions: [String] = []
    package nonisolated let tick = Duration.seconds(5)

    private let catalog: Catalog
    private let thumbnails: ThumbnailMaker
    private let listener: String
    private let logger: Logger
    /// Pictures and exports take a second; they run here, so that no thread of the pool waits for a disk.
    private let work = DispatchQueue(label: "librarian.work")
    /// Imports take minutes; they have a thread of their own, and everything else is answered meanwhile.
    private let imports = DispatchQueue(label: "librarian.imports", qos: .utility)
    private var job: ImportJob?
    private var importing: Task<Void, Never>?
    private var published: LibraryRevision?
    /// What to import once it is on the bus, as far as it has changed.
    private var atStart: [String]

    /// - Parameters:
    ///   - atStart: absolute paths to import as soon as others can ask how far that is.
    ///   - imported: an import that is over already.
    package init(
        catalog: Catalog, thumbnails: ThumbnailMaker, listener: String, logger: Logger, atStart: [String] = [],
        imported: ImportJob? = nil
    ) {
        self.atStart = atStart
        job = imported
        self.catalog = catalog
        self.thumbnails = thumbnails
        self.listener = listener
        self.logger = logger
    }

    package func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .joined:
            published = nil
            publishRevision(bus)
            importAtStart(bus)
        case .tick:
            // Only requests and imports change the library; the first word may have failed.
            if published == nil || importState.isRunning { publishRevision(bus) }
        case .request(let request):
            await answer(request, bus: bus)
            publishRevision(bus)
        case .message, .lost:
            break
        }
    }

    package func finish(bus: any BusPort) async {
        // What is being stored is rolled back before the database closes; a file that is only being read needs no end.
        job?.cancel()
        if importState.phase == .storing { await importing?.value }
        do { try catalog.file.close() } catch {
            logger.error("the database did not close", metadata: ["error": "\(error)"])
        }
    }

    private func publishRevision(_ bus: any BusPort) {
        do {
            let revision = try catalog.revision()
            guard revision != published else { return }
            published = revision
            bus.publish(revision, on: Registry.library(listener))
        } catch {
            logger.error("the library cannot be read", metadata: ["error": "\(error)"])
        }
    }

    private func answer(_ request: IncomingRequest, bus: any BusPort) async {
        do {
            try await reply(to: request, bus: bus)
        } catch {
            refuse(request, error)
        }
    }

    private func refuse(_ request: IncomingRequest, _ error: any Error) {
        if let refusal = error as? Refusal {
            logger.notice("request refused", metadata: ["request": "\(request.name)", "code": "\(refusal.code)"])
            request.refuse(refusal)
        } else if error is CancellationError {
            request.refuse(Refusal(code: "cancelled", message: "the import was cancelled; files before this one stay"))
        } else {
            logger.error("request failed", metadata: ["request": "\(request.name)", "error": "\(type(of: error))"])
            request.refuse(Refusal(code: "unavailable", message: "\(error)"))
        }
    }

    private func reply(to request: IncomingRequest, bus: any BusPort) async throws {
        let catalog = self.catalog
        switch request.name {
        case ListPlaylists.name:
            request.reply(PlaylistList(playlists: try catalog.playlists()))
        case ListSongs.name:
            request.reply(try catalog.songs(request.decodeBody(ListSongs.self)))
        case GetSong.name:
            request.reply(try catalog.song(request.decodeBody(GetSong.self).song))
        case CorrectSong.name:
            // One transaction at a time: this one would wait for the import, and all other answers for it.
            if importState.isRunning { throw busy }
            request.reply(try catalog.correct(request.decodeBody(CorrectSong.self)))
        case ImportLibrary.name:
            // Answered when it is over; everything else is answered meanwhile.
            try startImport(request.decodeBody(ImportLibrary.self).paths, answering: request, bus)
        case StartImport.name:
            try startImport(request.decodeBody(StartImport.self).paths, answering: nil, bus)
            request.reply(importState)
        case GetImport.name:
            request.reply(importState)
        case CancelImport.name:
            job?.cancel()
            request.reply(importState)
        case GetArt.name:
            request.reply(try await art(request.decodeBody(GetArt.self)))
        case ExportData.name:
            let path = try request.decodeBody(ExportData.self).path
            guard path.hasPrefix("/") else {
                throw Refusal(code: "invalid", message: "\(path): give an absolute path")
            }
            request.reply(Exported(path: path, rows: try await onWorkQueue { try catalog.exportRows(to: path) }))
        case BackUpData.name:
            let path = try request.decodeBody(BackUpData.self).path
            guard path.hasPrefix("/") else {
                throw Refusal(code: "invalid", message: "\(path): give an absolute path")
            }
            try await onWorkQueue { try catalog.backup(to: path) }
            request.reply(BackedUp(path: path))
        case DeleteData.name:
            guard try request.decodeBody(DeleteData.self).confirmation == DeleteData.phrase else {
                throw Refusal(code: "invalid", message: "confirm with '\(DeleteData.phrase)'")
            }
            job?.cancel()
            try await onWorkQueue { try catalog.deleteAll() }
            job = nil
            logger.notice("all data deleted")
            request.reply(Done(note: "the library is empty"))
        default:
            throw Refusal(code: "unknown-request", message: "the librarian does not know '\(request.name)'")
        }
    }

    // MARK: - Import

    private var importState: ImportState { job?.progress ?? ImportState(phase: Open(.idle)) }

    private var busy: Refusal {
        let state = importState
        let place = state.fileCount > 0 ? " (file \(state.fileNumber) of \(state.fileCount))" : ""
        return Refusal(
            code: "busy",
            message:
                "an import is under way\(place): wait for it, see `resonance library status`, or end it with "
                + "`resonance library cancel`")
    }

    /// Begins what the command line asks for, once.
    private func importAtStart(_ bus: any BusPort) {
        let paths = atStart
        atStart = []
        guard !paths.isEmpty else { return }
        do {
            try startImport(paths, onlyChanged: true, answering: nil, bus)
        } catch {
            logger.error("libraries not imported", metadata: ["error": "\(error)"])
        }
    }

    static func log(_ report: ImportReport, _ logger: Logger) {
        for file in report.files {
            guard let error = file.error else { continue }
            logger.error("library not imported", metadata: ["error": "\(error.withoutQuotations)"])
        }
        logger.info(
            "imported",
            metadata: [
                "files": "\(report.files.count)", "refused": "\(report.files.count { $0.error != nil })",
                "added": "\(report.added)", "updated": "\(report.updated)",
            ])
    }

    private func startImport(
        _ paths: [String], onlyChanged: Bool = false, answering request: IncomingRequest?, _ bus: any BusPort
    ) throws {
        try Catalog.check(paths)
        if importState.isRunning { throw busy }
        let job = ImportJob()
        self.job = job
        let (catalog, imports) = (self.catalog, self.imports)
        importing = Task { [weak self] in
            let result: Result<ImportReport, any Error> = await withCheckedContinuation { continuation in
                imports.async {
                    continuation.resume(
                        returning: Result { try catalog.importFiles(paths, onlyChanged: onlyChanged, job: job) })
                }
            }
            await self?.imported(result, by: job, answering: request, bus)
        }
    }

    private func imported(
        _ result: Result<ImportReport, any Error>, by job: ImportJob, answering request: IncomingRequest?,
        _ bus: any BusPort
    ) {
        switch result {
        case .success(let report):
            Self.log(report, logger)
            job.note(report)
            job.end(.done)
            publishRevision(bus)
            request?.reply(report)
        case .failure(let error):
            if error is CancellationError {
                logger.notice("import cancelled", metadata: ["file": "\(job.progress.fileNumber)"])
                job.end(.cancelled)
            } else {
                logger.error("import failed", metadata: ["error": "\(type(of: error))"])
                job.end(.failed, failure: "\(error)")
            }
            publishRevision(bus)
            if let request { refuse(request, error) }
        }
    }

    private func art(_ request: GetArt) async throws -> Art {
        guard ThumbnailMaker.sizes.contains(request.pixels) else {
            throw Refusal(code: "invalid", message: "pixels must be 80 or 300")
        }
        let song = try catalog.song(request.song).song
        let (catalog, thumbnails) = (self.catalog, self.thumbnails)
        let picture = await onWorkQueue { () -> Data? in
            guard let bytes = catalog.picture(of: song) else { return nil }
            return thumbnails.thumbnail(of: bytes, pixels: request.pixels)
        }
        guard let picture else {
            throw Refusal(code: "not-found", message: "there is no picture that can be shown in or beside its file")
        }
        return Art(
            mediaType: "image/jpeg", width: request.pixels, height: request.pixels,
            base64: picture.base64EncodedString())
    }

    private func onWorkQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            work.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private func onWorkQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in work.async { continuation.resume(returning: body()) } }
    }
}
