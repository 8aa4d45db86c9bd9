import Bus
import Dispatch
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
    /// Imports and pictures take seconds; they run here, so that no thread of the pool waits for a disk.
    private let work = DispatchQueue(label: "librarian.work")
    private var published: LibraryRevision?

    package init(catalog: Catalog, thumbnails: ThumbnailMaker, listener: String, logger: Logger) {
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
        case .tick:
            // Only requests change the library; the first word may have failed.
            if published == nil { publishRevision(bus) }
        case .request(let request):
            await answer(request, bus: bus)
            publishRevision(bus)
        case .message, .lost:
            break
        }
    }

    package func finish(bus: any BusPort) async {
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
            try await reply(to: request)
        } catch let refusal as Refusal {
            logger.notice("request refused", metadata: ["request": "\(request.name)", "code": "\(refusal.code)"])
            request.refuse(refusal)
        } catch {
            logger.error("request failed", metadata: ["request": "\(request.name)", "error": "\(type(of: error))"])
            request.refuse(Refusal(code: "unavailable", message: "\(error)"))
        }
    }

    private func reply(to request: IncomingRequest) async throws {
        let catalog = self.catalog
        switch request.name {
        case ListPlaylists.name:
            request.reply(PlaylistList(playlists: try catalog.playlists()))
        case ListSongs.name:
            request.reply(try catalog.songs(request.decodeBody(ListSongs.self)))
        case GetSong.name:
            request.reply(try catalog.song(request.decodeBody(GetSong.self).song))
        case CorrectSong.name:
            request.reply(try catalog.correct(request.decodeBody(CorrectSong.self)))
        case ImportLibrary.name:
            let paths = try request.decodeBody(ImportLibrary.self).paths
            let report = try await onWorkQueue { try catalog.importFiles(paths) }
            logger.info(
                "imported",
                metadata: [
                    "files": "\(report.files.count)", "refused": "\(report.files.count { $0.error != nil })",
                    "added": "\(report.added)", "updated": "\(report.updated)",
                ])
            request.reply(report)
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
            try await onWorkQueue { try catalog.deleteAll() }
            logger.notice("all data deleted")
            request.reply(Done(note: "the library is empty"))
        default:
            throw Refusal(code: "unknown-request", message: "the librarian does not know '\(request.name)'")
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
