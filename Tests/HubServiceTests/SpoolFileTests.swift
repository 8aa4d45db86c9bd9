import Bus
import Foundation
import Protocols
import Testing

@testable import HubService

let noon = Timestamp(milliseconds: 1_767_270_000_000)

/// A fresh private directory, removed at the end.
final class TemporaryDirectory: Sendable {
    let url: URL
    /// In memory where there is such a place: opening a database hundreds of times is not a test of the disk.
    private static let place = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"

    init() throws {
        url = URL(filePath: "\(Self.place)/rsh-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }
}

func event(_ sequence: UInt64, epoch: UInt64 = 77, topic: String = "bio/workout/me", body: String = "{}") -> Received {
    Received(
        topic: topic,
        header: Header(
            deliveryClass: .event, schema: SchemaVersion(major: 1, minor: 0), epoch: epoch, sequence: sequence,
            wallNs: 1, monotonicNs: 2, hubEpoch: 9, hubSequence: sequence),
        body: Array(body.utf8))
}

extension SpoolStore {
    /// Appends, each in a commit of its own.
    ///
    /// - Returns: what was acknowledged.
    func keep(_ sequences: ClosedRange<UInt64>, for consumers: [ProcessName] = [.body], body: String = "{}") -> [UInt64]
    {
        sequences.filter { sequence in
            let batch = run([.append(event(sequence, body: body), consumers: consumers, at: noon)])
            return batch.outcomes.contains { if case .stored = $0 { true } else { false } }
        }
    }

    func waiting(for consumer: ProcessName = .body) -> [SpooledEvent] {
        let batch = run([.load(consumer, after: 0, limit: 10_000, bytes: 1 << 30)])
        guard case .loaded(_, let events, _)? = batch.outcomes.first else { return [] }
        return events
    }

    func ask(_ question: SpoolQuestion) throws -> SpoolAnswer {
        let batch = run([.ask(question, id: 1, at: noon)])
        guard case .answered(_, let result)? = batch.outcomes.first else {
            throw Refusal(code: "test", message: "no answer")
        }
        return try result.get()
    }
}

struct SpoolFileTests {
    @Test func `what was accepted is there after the hub has died, in order, with its header and body`() throws {
        let directory = try TemporaryDirectory()
        do {
            let spool = try SpoolFile(directory: directory.url)
            #expect(spool.keep(1...5, for: [.body, .brain], body: #"{"n":1}"#) == [1, 2, 3, 4, 5])
            let outcomes = spool.run([.acknowledge(EventID(event(2)), by: .body)])
            #expect(outcomes.depth.pending == 9)
        }
        let again = try SpoolFile(directory: directory.url)
        let events = again.waiting()
        #expect(events.map(\.message.header.sequence) == [1, 3, 4, 5])
        #expect(events.map(\.number) == [1, 3, 4, 5])
        #expect(events.first?.message.header == event(1).header)
        #expect(events.first?.message.body == Array(#"{"n":1}"#.utf8))
        #expect(again.waiting(for: .brain).count == 5)
        // A sender that did not hear the acknowledgement sends again: acknowledged, not stored twice.
        let batch = again.run([.append(event(2), consumers: [.body, .brain], at: noon)])
        guard case .stored(let copy, _, false)? = batch.outcomes.first else {
            Issue.record("\(batch.outcomes)")
            return
        }
        #expect(copy.number == 2)
        #expect(batch.depth.events == 5)
        #expect(again.waiting().count == 4)
    }

    @Test func `the file and its companions are private`() throws {
        let directory = try TemporaryDirectory()
        let spool = try SpoolFile(directory: directory.url)
        _ = spool.keep(1...1)
        for name in ["spool/hub.sqlite", "spool/hub.sqlite-wal", "spool/hub.sqlite-shm"] {
            let mode = try FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test func `torn at every byte of the last commit, it keeps all before and never half an event`() throws {
        let directory = try TemporaryDirectory()
        let source = directory.path("source")
        let spool = try SpoolFile(directory: URL(filePath: source))
        _ = spool.keep(1...3, body: #"{"first":true}"#)
        let wal = source + "/spool/hub.sqlite-wal"
        let before = try Data(contentsOf: URL(filePath: wal)).count
        _ = spool.keep(4...4, body: #"{"last":true}"#)
        let base = try Data(contentsOf: URL(filePath: source + "/spool/hub.sqlite"))
        let whole = try Data(contentsOf: URL(filePath: wal))
        #expect(whole.count > before)

        func sequences(_ log: Data) throws -> [UInt64] {
            let copy = try TemporaryDirectory()
            try FileManager.default.createDirectory(
                at: copy.url.appending(path: "spool"), withIntermediateDirectories: true)
            try base.write(to: copy.url.appending(path: "spool/hub.sqlite"))
            try log.write(to: copy.url.appending(path: "spool/hub.sqlite-wal"))
            let opened = try SpoolFile(directory: copy.url)
            #expect(opened.movedAside.isEmpty)
            for event in opened.waiting() {
                let last = event.message.header.sequence == 4
                #expect(event.message.body == Array((last ? #"{"last":true}"# : #"{"first":true}"#).utf8))
            }
            return opened.waiting().map(\.message.header.sequence)
        }
        #expect(try sequences(whole) == [1, 2, 3, 4])
        // Each byte near the edges of the frames, every 211th between: opening a database costs milliseconds.
        let frame = 24 + 4096
        for length in before..<whole.count
        where (length - 32) % frame < 40 || (length - 32) % frame > frame - 8 || length % 211 == 0 {
            #expect(try sequences(whole.prefix(length)) == [1, 2, 3], "torn at \(length)")
        }
        for place in before..<whole.count where (place - 32) % frame < 24 || place % 211 == 0 {
            var damaged = whole
            damaged[place] ^= 0x10
            #expect(try sequences(damaged) == [1, 2, 3], "flipped at \(place)")
        }
    }

    @Test func `an unreadable file is moved aside by name, said so, and the hub begins anew`() throws {
        let directory = try TemporaryDirectory()
        do {
            let spool = try SpoolFile(directory: directory.url)
            _ = spool.keep(1...3)
        }
        try Data(repeating: 0x5A, count: 9000).write(to: URL(filePath: directory.path("spool/hub.sqlite")))
        let spool = try SpoolFile(directory: directory.url)
        let batch = spool.run([.open])
        guard case .opened(let overview)? = batch.outcomes.first else {
            Issue.record("not opened")
            return
        }
        #expect(overview.complaints.map(\.cause) == ["spool-damaged"])
        #expect(spool.movedAside.count == 1)
        #expect(spool.keep(4...4) == [4])
        guard case .status(let report) = try spool.ask(.status) else { return }
        #expect(report.movedAside == spool.movedAside)
        #expect(report.durable)
    }

    @Test func `a full spool refuses by name, makes room from what is handled, and takes again`() throws {
        let directory = try TemporaryDirectory()
        var limits = SpoolLimits()
        limits.maxEvents = 3
        let spool = try SpoolFile(directory: directory.url, limits: limits)
        #expect(spool.keep(1...4) == [1, 2, 3])
        let batch = spool.run([.append(event(4), consumers: [.body], at: noon)])
        guard case .refused(let id, _, let reason, _)? = batch.outcomes.first else {
            Issue.record("not refused")
            return
        }
        #expect(id == EventID(event(4)))
        #expect(reason == "spool-full")
        _ = spool.run([.acknowledge(EventID(event(1)), by: .body)])
        #expect(spool.keep(4...4) == [4])
        #expect(spool.waiting().map(\.message.header.sequence) == [2, 3, 4])
    }

    @Test func `what is handled stays for its time, what is not stays for ever`() throws {
        let directory = try TemporaryDirectory()
        var limits = SpoolLimits()
        limits.keepSeconds = 3600
        let spool = try SpoolFile(directory: directory.url, limits: limits)
        _ = spool.keep(1...700)
        let handled = (1...600).map { SpoolJob.acknowledge(EventID(event($0)), by: .body) }
        _ = spool.run(handled)
        #expect(spool.run([.prune(at: noon.adding(seconds: 3000))]).depth.events == 700)
        #expect(spool.run([.prune(at: noon.adding(seconds: 4000))]).depth.events == 200)
        #expect(spool.run([.prune(at: noon.adding(seconds: 4000))]).depth.events == 100)
        #expect(spool.run([.prune(at: noon.adding(seconds: 4000))]).depth.events == 100)
        #expect(spool.waiting().map(\.message.header.sequence) == Array(601...700))
    }

    @Test func `a dead letter is listed, shown, replayed and dropped`() throws {
        let directory = try TemporaryDirectory()
        let spool = try SpoolFile(directory: directory.url)
        _ = spool.keep(1...2, body: #"{"sport":"running"}"#)
        for sequence in [1, 2] as [UInt64] {
            let batch = spool.run([
                .bury(EventID(event(sequence)), of: .body, reason: "failed", deliveries: 5, at: noon)
            ])
            #expect(batch.depth.pending == 2 - Int(sequence))
            guard case .buried(let letter)? = batch.outcomes.first else {
                Issue.record("not buried")
                return
            }
            #expect(letter.sequence == sequence && letter.consumer == .body && letter.deliveries == 5)
        }
        guard case .deadLetters(let list) = try spool.ask(.deadLetters(limit: 10)) else { return }
        #expect(list.total == 2)
        #expect(list.deadLetters.map(\.id) == [2, 1])
        guard case .deadLetter(let content) = try spool.ask(.deadLetter(1)) else { return }
        #expect(content.json == #"{"sport":"running"}"#)
        guard case .replayed(let consumer, let number) = try spool.ask(.replay(1)) else { return }
        #expect(consumer == .body && number == 1)
        #expect(spool.waiting().map(\.message.header.sequence) == [1])
        _ = try spool.ask(.drop(2))
        #expect(throws: Refusal.self) { try spool.ask(.drop(2)) }
        #expect(spool.run([]).depth.deadLetters == 0)
    }

    @Test func `deleting everything leaves no byte, not even of a damaged file that was moved aside`() throws {
        let directory = try TemporaryDirectory()
        do {
            let spool = try SpoolFile(directory: directory.url)
            _ = spool.keep(1...1)
        }
        try Data((String(repeating: "secret-4711 ", count: 900)).utf8)
            .write(to: URL(filePath: directory.path("spool/hub.sqlite")))
        let spool = try SpoolFile(directory: directory.url)
        _ = spool.keep(1...9, body: #"{"via":"secret-4711"}"#)
        _ = spool.run([.bury(EventID(event(3)), of: .body, reason: "failed", deliveries: 5, at: noon)])
        _ = spool.run([.acknowledge(EventID(event(4)), by: .body)])
        _ = try spool.ask(.wipe)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("spool"))
        #expect(!names.isEmpty)
        for name in names {
            let bytes = try Data(contentsOf: URL(filePath: directory.path("spool/\(name)")))
            #expect(bytes.range(of: Data("secret-4711".utf8)) == nil, "\(name)")
        }
        #expect(spool.run([]).depth == SpoolDepth())
        #expect(spool.keep(10...10) == [10])
    }
}
