import Bus
import Foundation
import Logging
import Protocols
import Testing

@testable import PlayerService

private let start = Timestamp(milliseconds: 1_795_176_000_000)

private func makeStub() -> StubPlayer { StubPlayer(listener: "me", logger: Logger(label: "test")) }

struct StubPlayerTests {
    @Test(arguments: [Duration.seconds(1), .seconds(5), .seconds(60)])
    func `keeps the contract of a player at every length of step`(step: Duration) async throws {
        try await PlayerContract(makePlayer: makeStub).check(step: step)
    }

    @Test func `steps of 1 s, 5 s and 60 s give the same play events`() async throws {
        let contract = PlayerContract(makePlayer: makeStub)
        let fine = try await contract.check(step: .seconds(1))
        #expect(try await contract.check(step: .seconds(5)) == fine)
        #expect(try await contract.check(step: .seconds(60)) == fine)
    }

    @Test func `tells its progress every second while a song plays, and not while it is paused`() async throws {
        let bus = LockStep(start: start)
        bus.add(makeStub(), as: "player-stub", roles: [.player])
        _ = try await bus.request(
            PlayerPlay(playId: "p", song: SongRef(id: "s", title: "S", artist: "A", durationMs: 600_000)))
        await bus.step(to: bus.now)
        let before = try bus.messages(of: Registry.progress).count
        await bus.advance(by: .seconds(60), step: .milliseconds(100))
        await bus.step(to: bus.now)
        #expect(try bus.messages(of: Registry.progress).count - before == 60)
        _ = try await bus.request(PlayerPause())
        let paused = try bus.messages(of: Registry.progress).count
        await bus.advance(by: .seconds(60), step: .milliseconds(100))
        #expect(try bus.messages(of: Registry.progress).count == paused)
        #expect(
            try bus.messages(of: Registry.progress).last == Progress(positionMs: 60_000, playing: false, volume: 0.6))
    }

    @Test func `what time brought about is told even when the command that follows is refused`() async throws {
        let bus = LockStep(start: start)
        bus.add(makeStub(), as: "player-stub", roles: [.player])
        _ = try await bus.request(
            PlayerPlay(playId: "p", song: SongRef(id: "s", title: "S", artist: "A", durationMs: 1000)))
        await bus.step(to: start.adding(seconds: 0.9))
        bus.port(of: "asker").ask(PlayerVolume(volume: 7)) { _ in }
        await bus.step(to: start.adding(seconds: 2))
        await bus.step(to: bus.now)
        #expect(try bus.messages(of: Registry.playerEvent).map(\.kind.rawValue) == ["started", "ended"])
        await #expect(throws: Refusal.self) { try await bus.request(PlayerVolume(volume: 7)) }
    }

    @Test func `a confirmed deletion takes the play events that wait for the brain, any other leaves them`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "player-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // A hub that refuses events: they stay in the outbox.
        var limits = SpoolLimits()
        limits.maxEvents = 0
        let hub = MemoryHub(spool: MemorySpool(limits: limits))
        let peer = BusPeer(
            identity: PeerIdentity(name: "player-stub", roles: [.player]), transport: hub.transport(),
            outbox: try Outbox(name: "player-stub", in: folder))
        let loop = Task { try await runPeer(makeStub(), on: peer) }
        let client = try await BusClient.connect(over: hub.transport(), as: "asker", timeout: .seconds(20))
        while !peer.isJoined { try await Task.sleep(for: .milliseconds(5)) }
        let song = SongRef(id: "s", title: "S", artist: "A", durationMs: 600_000)
        _ = try await client.request(PlayerPlay(playId: "play-4711", song: song))
        let file = folder.appending(path: "outbox/player-stub.outbox")
        #expect(peer.unacknowledged == 1)
        #expect(try Data(contentsOf: file).range(of: Data("play-4711".utf8)) != nil)
        await #expect(throws: Refusal.self) {
            let _: Done = try await client.request(.player, DeleteData.name, DeleteData(confirmation: "yes"))
        }
        #expect(peer.unacknowledged == 1)
        let _: Done = try await client.request(
            .player, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        #expect(peer.unacknowledged == 0)
        #expect(try Data(contentsOf: file).isEmpty)
        await client.close()
        loop.cancel()
        _ = await loop.result
    }

    @Test func `an unknown question is refused by name`() async throws {
        let bus = LockStep(start: start)
        bus.add(makeStub(), as: "player-stub", roles: [.player])
        await #expect {
            let _: Done = try await bus.request(.player, "dance", PlayerPause())
        } throws: { error in
            (error as? Refusal)?.code == "unknown-request"
        }
    }
}
