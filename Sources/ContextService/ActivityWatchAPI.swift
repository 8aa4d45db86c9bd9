import Formats
import Foundation
import Protocols

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ActivityWatch's local REST API: the last 70 min of its window and presence buckets, asked for every 10 s.
///
/// Source of the paths: ActivityWatch REST documentation, `/api/0/buckets/` and `/api/0/buckets/<id>/events`.
actor ActivityWatchAPI {
    private static let period = 10.0
    private static let span = 4200.0

    private let base: URL
    private let isOptional: Bool
    private let session: URLSession
    private var askedAt: Timestamp?
    private var goodAt: Timestamp?
    private var error: String?
    /// What it said; nil while it has not answered, so that a file can stand in.
    private(set) var log: ActivityLog?

    init(base: URL, isOptional: Bool) {
        self.base = base
        self.isOptional = isOptional
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 2
        session = URLSession(configuration: configuration)
    }

    func refresh(now: Timestamp) async {
        if let askedAt, now.seconds(since: askedAt) < Self.period { return }
        // Set before the first suspension: a second call finds it.
        askedAt = now
        do {
            log = try await fetch(now)
            goodAt = now
            error = nil
        } catch {
            self.error = "\(base.absoluteString) does not answer: start ActivityWatch, or give a file instead"
            if let goodAt, now.seconds(since: goodAt) > ContextReader.silentSeconds { log = nil }
        }
    }

    /// Nil while a service that nobody asked for has never answered: it is not there, and that is no fault.
    func status(now: Timestamp) -> ContextSource? {
        if isOptional, goodAt == nil { return nil }
        return ContextSource(
            name: "activitywatch-api", path: base.absoluteString, ok: error == nil, detail: error ?? "read",
            ageSeconds: goodAt.map { now.seconds(since: $0) })
    }

    private struct Bucket: Decodable { var type: String? }

    private func fetch(_ now: Timestamp) async throws -> ActivityLog {
        let buckets = try JSONDecoder().decode([String: Bucket].self, from: try await get("api/0/buckets/", []))
        let wanted = buckets.filter { $0.value.type == "currentwindow" || $0.value.type == "afkstatus" }.keys.sorted()
        var log = ActivityLog(source: base.absoluteString, windows: [], presence: [])
        for id in wanted {
            let bytes = try await get(
                "api/0/buckets/\(id)/events",
                [
                    URLQueryItem(name: "start", value: now.adding(seconds: -Self.span).description),
                    URLQueryItem(name: "end", value: now.description),
                ])
            let part = try ActivityWatchReader.read(bytes: Array(bytes), name: id)
            log.windows += part.windows
            log.presence += part.presence
        }
        log.windows.sort { $0.start < $1.start }
        log.presence.sort { $0.start < $1.start }
        return log
    }

    private func get(_ path: String, _ query: [URLQueryItem]) async throws -> Data {
        var url = base.appending(path: path)
        if !query.isEmpty { url.append(queryItems: query) }
        let (data, response) = try await session.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        return data
    }
}
