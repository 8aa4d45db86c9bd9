import Foundation
import Protocols

/// The processes of a run. Their names are those that the registry allows to publish.
enum Role: String, CaseIterable, Codable, Sendable {
    case sensor = "sensor-emitter"
    case librarian
    case context = "context-agent"
    case player
    case brain
    case body
    /// Comes when all is over: a late joiner, who must find what the others have.
    case witness

    var name: ProcessName { ProcessName(rawValue: rawValue) }
    /// Processes that run from the beginning.
    static let regulars: [Role] = [.brain, .body, .sensor, .librarian, .context, .player]
    static let readers: [Role] = [.brain, .body]
}

/// What one life of a process has to say in the end. Written anew each second, so that a life that is killed leaves its
/// books of a moment before.
struct Books: Codable, Sendable {
    /// Live messages of one topic that reached the service.
    struct Heard: Codable, Sendable, Equatable {
        var count: UInt64 = 0
        /// Number of the first and the newest by the publisher's own count, which is in the body.
        var first: UInt64 = 0
        var last: UInt64 = 0
        /// Came after a newer one, or a second time.
        var misplaced: UInt64 = 0
        /// Older than its topic allows.
        var stale: UInt64 = 0
    }

    var role: Role
    var life: Int
    /// Since boot, ms: when the process began, and when it had joined for the first time.
    var beganMs: Int64
    var joinedMs: Int64?
    /// Live messages that the process published, by topic, and the newest number in them.
    var published: [String: UInt64] = [:]
    var lost: [String: [String: UInt64]] = [:]
    var drops: [String: UInt64] = [:]
    var heard: [String: Heard] = [:]
    /// The newest state of each topic, by its JSON.
    var states: [String: String] = [:]
    /// What this owner said last, by topic.
    var owned: [String: String] = [:]
    /// Events whose publishing returned without a complaint, by stream: they are numbered from 1.
    var events: [String: UInt64] = [:]
    var unacknowledged = 0
    var asked: UInt64 = 0
    var answered: UInt64 = 0
    var refused: [String: UInt64] = [:]
    /// Answers to another question than the one asked.
    var wrongAnswers: UInt64 = 0
    /// True when written on request, with nothing coming any more.
    var isFinal = false

    static func file(_ role: Role, _ life: Int, in directory: URL) -> URL {
        directory.appending(path: "books-\(role.rawValue)-\(life).json")
    }

    func write(to directory: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(self).write(to: Self.file(role, life, in: directory), options: .atomic)
    }

    static func readAll(in directory: URL) throws -> [Books] {
        try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("books-") && $0.pathExtension == "json" }
            .map { try JSONDecoder().decode(Books.self, from: Data(contentsOf: $0)) }
            .sorted { ($0.role.rawValue, $0.life) < ($1.role.rawValue, $1.life) }
    }
}

/// A number on disk that is right whenever the process is killed: written by one `pwrite` of eight bytes after the thing
/// that it counts is done.
final class Tally {
    private let descriptor: Int32
    private(set) var value: UInt64

    /// Opens or creates a tally; a tally that exists goes on.
    init(_ file: URL) throws {
        descriptor = open(file.path(percentEncoded: false), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        var stored: UInt64 = 0
        value = pread(descriptor, &stored, 8, 0) == 8 ? stored : 0
    }

    deinit { close(descriptor) }

    func set(_ new: UInt64) {
        value = new
        var bytes = new
        pwrite(descriptor, &bytes, 8, 0)
    }

    static func read(_ file: URL) -> UInt64 {
        guard let data = try? Data(contentsOf: file), data.count == 8 else { return 0 }
        return data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }
}
