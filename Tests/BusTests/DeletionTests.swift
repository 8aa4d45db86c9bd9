import Bus
import Foundation
import Protocols
import Testing

enum Refusing {
    /// A spool that is full from the beginning.
    static var spool: MemorySpool {
        var limits = SpoolLimits()
        limits.maxEvents = 0
        return MemorySpool(limits: limits)
    }
}

/// After `delete-all` nothing that waited to be sent is left or comes again.
@Suite(.timeLimit(.minutes(1)))
struct DeletionTests {
    private let phrase = DeleteData(confirmation: DeleteData.phrase)

    private func bytes(_ directory: TemporaryDirectory) throws -> Data {
        try Data(contentsOf: directory.url.appending(path: "outbox/sensor-emitter.outbox"))
    }

    @Test(arguments: TransportKind.allCases)
    func `a process that deletes its data forgets its outbox, on disk too`(kind: TransportKind) async throws {
        // A hub that refuses events: they stay with their sender.
        let hub = try await TestHub(kind, spool: Refusing.spool)
        let directory = try TemporaryDirectory()
        let sensor = Running(
            Probe([]), as: .sensor, over: try hub.transport(), outbox: try Outbox(name: .sensor, in: directory.url))
        try await eventually { sensor.peer.isJoined }
        sensor.peer.publish(
            MoodInput(at: noon, mood: 2, energy: 3, via: "only-here-4711"), on: Registry.mood())
        #expect(sensor.peer.unacknowledged == 1)
        #expect(try bytes(directory).range(of: Data("only-here-4711".utf8)) != nil)
        let client = try await BusClient.connect(over: try hub.transport(), as: "asker", timeout: .seconds(20))
        let _: Done = try await client.request(.sensor, DeleteData.name, phrase)
        #expect(sensor.peer.unacknowledged == 0)
        #expect(try bytes(directory).isEmpty)
        await client.close()
        await sensor.stop()
        await hub.stop()
    }

    @Test func `a deletion that is refused, and any other question, leaves the outbox as it is`() async throws {
        let hub = try await TestHub(.memory, spool: Refusing.spool)
        let probe = Probe(
            [],
            onRequest: { request in
                guard request.name == DeleteData.name else { return request.reply(Done(note: "")) }
                request.refuse(Refusal(code: "not-allowed", message: "not confirmed"))
            })
        let sensor = Running(probe, as: .sensor, over: try hub.transport())
        try await eventually { sensor.peer.isJoined }
        sensor.peer.publish(workout(), on: Registry.workout())
        let client = try await BusClient.connect(over: try hub.transport(), as: "asker", timeout: .seconds(20))
        let _: Done = try await client.request(.sensor, "status", Done())
        await #expect(throws: Refusal(code: "not-allowed", message: "not confirmed")) {
            let _: Done = try await client.request(.sensor, DeleteData.name, DeleteData(confirmation: "yes"))
        }
        #expect(sensor.peer.unacknowledged == 1)
        await client.close()
        await sensor.stop()
        await hub.stop()
    }

    @Test func `what a death in the middle of a compaction left is removed at the next start`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.url.appending(path: "outbox")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("half a heart rate".utf8).write(to: folder.appending(path: "sensor-emitter.outbox.new"))
        let outbox = try Outbox(name: .sensor, in: directory.url)
        #expect(outbox.count == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        #expect(names == ["sensor-emitter.outbox"])
    }
}
