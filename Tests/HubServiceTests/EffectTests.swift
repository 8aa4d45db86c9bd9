import Bus
import Foundation
import GRDB
import Logging
import Protocols
import Store
import Synchronization
import Testing

@testable import HubService

/// A consumer with an effect in a database, that can be cut off at the worst moment.
private actor Bookkeeper: BusService {
    nonisolated let subscriptions = ["bio/workout"]
    nonisolated let tick = Duration.milliseconds(5)
    private let file: DatabaseFile
    /// True between the commit of the effect and the acknowledgement.
    private let dies: @Sendable (Received) -> Bool
    private let onEffect: @Sendable (Received) -> Void

    init(
        _ file: DatabaseFile, dies: @escaping @Sendable (Received) -> Bool = { _ in false },
        onEffect: @escaping @Sendable (Received) -> Void
    ) {
        self.file = file
        self.dies = dies
        self.onEffect = onEffect
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try HandledEvents.createTable(in: db)
            try db.create(table: "effect") { $0.column("sequence", .integer).notNull() }
        }
        return migrator
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        guard case .message(let message) = event else { return }
        try file.write { db in
            guard try HandledEvents.firstTime(header: message.header, topic: message.topic, in: db) else { return }
            try db.execute(
                sql: "INSERT INTO effect (sequence) VALUES (?)", arguments: [Int64(message.header.sequence)])
        }
        onEffect(message)
        guard dies(message) else { return }
        // The process is gone before it can acknowledge: this call never returns while it lives.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
        throw Refusal(code: "internal", message: "killed")
    }
}

private let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

private func peer(_ name: ProcessName, _ hub: MemoryHub) -> BusPeer {
    BusPeer(identity: PeerIdentity(name: name), transport: hub.transport(), logger: silent)
}

@Suite(.timeLimit(.minutes(1)))
struct EffectTests {
    @Test func `killed between effect and acknowledgement, a consumer handles the event once in effect`() async throws {
        let directory = try TemporaryDirectory()
        let hub = MemoryHub(spool: try SpoolFile(directory: directory.url))
        let file = try DatabaseFile(path: directory.path("body.sqlite"), migrator: Bookkeeper.migrator)
        let (effects, effect) = AsyncStream.makeStream(of: UInt64.self)
        let sensor = peer(.sensor, hub)
        let sending = Task { try await runPeer(Idle(), on: sensor) }
        let first = Task { [file] in
            try await runPeer(
                Bookkeeper(file, dies: { $0.header.sequence == 2 }) { effect.yield($0.header.sequence) },
                on: peer(.body, hub))
        }
        for _ in 1...4 {
            sensor.publish(
                Workout(phase: .started, sport: "running", at: noon), on: Registry.workout())
        }
        var seen = effects.makeAsyncIterator()
        #expect(await seen.next() == 1)
        #expect(await seen.next() == 2)
        first.cancel()
        _ = await first.result
        let second = Task { [file] in
            try await runPeer(Bookkeeper(file) { effect.yield($0.header.sequence) }, on: peer(.body, hub))
        }
        // The one whose effect was stored comes again, and has none.
        #expect(await seen.next() == 2)
        #expect(await seen.next() == 3)
        #expect(await seen.next() == 4)
        let stored = try file.read { try Int64.fetchAll($0, sql: "SELECT sequence FROM effect ORDER BY rowid") }
        #expect(stored == [1, 2, 3, 4])
        for task in [second, sending] {
            task.cancel()
            _ = await task.result
        }
    }
}

private actor Idle: BusService {
    nonisolated let subscriptions: [String] = []
    func receive(_ event: BusEvent, bus: any BusPort) async throws {}
}
