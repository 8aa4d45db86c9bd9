import Foundation
import Protocols
import Synchronization
import Testing

@testable import Bus

/// Other machines: who comes in, what they may do, how they are shut out. Over real sockets, on loopback.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct RemoteTests {
    private func nowPlaying(_ playing: Bool) -> NowPlaying {
        NowPlaying(song: nil, playlist: nil, startedAt: nil, durationMs: nil, playing: playing, pick: nil)
    }

    @Test func `a key on the list comes in and is heard`() async throws {
        let hub = try RemoteHub()
        let pairing = try hub.pair("kitchen", .watch)
        await hub.start()
        let probe = Probe(["bio/"])
        let body = Running(probe, as: .body, over: ZeroMQTransport(try hub.local))
        await probe.wait { !$0.joins.isEmpty }
        let sensor = Running(Probe(["music/glance"]), as: .sensor, over: ZeroMQTransport(try hub.endpoints(pairing)))
        try await eventually { sensor.peer.isJoined }
        sensor.peer.publish(HeartRate(at: noon, bpm: 61, source: "t"), on: Registry.heartRate())
        await probe.wait { !$0.messages.isEmpty }
        #expect(try await probe.bodies(Registry.heartRate).map(\.bpm) == [61])
        await sensor.stop()
        await body.stop()
        await hub.stop()
    }

    @Test func `an unlisted key gets nothing, both sides say why, and it comes in once it is listed`() async throws {
        let hub = try RemoteHub()
        await hub.start()
        let secret = try CurveKey.newPair()
        let pairing = try hub.pairing("kitchen", secret: secret.secretKey)
        let listener = try RawLine(ZeroMQTransport(try hub.endpoints(pairing)), subscriptions: [""])
        await #expect {
            _ = try await BusClient.connect(to: hub.endpoints(pairing), as: "kitchen", timeout: .seconds(20))
        } throws: { error in
            "\(error)"
                == "handshake refused by 127.0.0.1:\(hub.port): this key is not on the hub's list: run `resonance pair` there"
        }
        // At the end of the timeout it would say that there is no hub: this came with the refusal itself.
        let fingerprint = secret.publicKey.fingerprint
        try await eventually {
            hub.log.all.contains { $0.contains("this key is not on the list") && $0.contains("key=\(fingerprint)") }
        }
        let watcher = Probe(["sys/heartbeat"])
        let local = Running(watcher, as: .brain, over: ZeroMQTransport(try hub.local))
        await watcher.wait {
            $0.messages.contains { ((try? $0.decode(Registry.heartbeat))?.drops["handshake-refused"] ?? 0) > 0 }
        }
        #expect(listener.messages.isEmpty)
        try AuthorizedPeers.add(
            AuthorizedPeer(
                name: "kitchen", publicKey: secret.publicKey, profile: .full,
                rights: RightsProfile.full.rights(for: "kitchen"), addedAt: noon), in: hub.config.url)
        // Without a new attempt of our own libzmq would never try again.
        try await eventually { !listener.messages.isEmpty }
        await listener.stop()
        await local.stop()
        await hub.stop()
    }

    @Test func `a wrong key of the hub is explained on both sides`() async throws {
        let hub = try RemoteHub()
        let good = try hub.pair("kitchen")
        let bad = try hub.pairing("kitchen", secret: good.secretKey, hubKey: CurveKey.newPair().publicKey)
        await hub.start()
        await #expect {
            _ = try await BusClient.connect(to: hub.endpoints(bad), as: "kitchen", timeout: .seconds(20))
        } throws: {
            "\($0)".contains("handshake refused by 127.0.0.1:\(hub.port): wrong server key")
        }
        try await eventually { hub.log.all.contains { $0.contains("handshake refused: wrong server key") } }
        await hub.stop()
    }

    @Test func `nobody comes in without CURVE`() async throws {
        let hub = try RemoteHub()
        _ = try hub.pair("kitchen")
        await hub.start()
        let plain = try BusEndpoints(tcp: "127.0.0.1:\(hub.port)")
        await #expect {
            _ = try await BusClient.connect(to: plain, as: "kitchen", timeout: .seconds(20))
        } throws: {
            "\($0)".contains("failed") || "\($0)".contains("refused")
        }
        await hub.stop()
    }

    @Test func `nobody comes in when the judge of the keys is dead`() async throws {
        let hub = try RemoteHub()
        let pairing = try hub.pair("kitchen")
        let stranger = try hub.stranger()
        await hub.start()
        // The list was read: with a living judge this key comes in.
        let first = try await BusClient.connect(to: hub.endpoints(pairing), as: "kitchen")
        await first.close()
        await hub.server.io.zap?.finish()
        for key in [pairing, stranger] {
            let line = try RawLine(ZeroMQTransport(try hub.endpoints(key)), subscriptions: [""])
            await #expect(throws: BusError.self) {
                _ = try await BusClient.connect(to: hub.endpoints(key), as: "kitchen", timeout: .milliseconds(700))
            }
            #expect(line.messages.isEmpty)
            await line.stop()
        }
        await hub.stop()
    }

    @Test func `without a judge nothing is bound`() async throws {
        let config = try TemporaryDirectory()
        let access = try RemoteAccess(addresses: ["127.0.0.1:30990"], directory: config.url)
        let context = try ZMQContext()
        let zap = try ZAPHandler(context, gate: Gate()) {}
        let door = try RemoteDoor(access, context)
        let error = #expect(throws: BusError.self) { try door.bind(access.endpoints, zap: zap) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("nobody judges the keys"))
    }

    @Test func `rights narrow what is heard, said, asked and who one is`() async throws {
        let hub = try RemoteHub()
        let rights = PeerRights(
            processes: ["sensor-emitter"], publish: ["bio/"], hear: ["music/now", "sys/heartbeat/hub"],
            ask: ["brain/skip"])
        let pairing = try hub.pair("kitchen", .watch, rights: rights)
        await hub.start()
        let brainProbe = Probe(["bio/", "input/"])
        let brain = Running(brainProbe, as: .brain, over: ZeroMQTransport(try hub.local))
        await brainProbe.wait { !$0.joins.isEmpty }
        brain.peer.publish(
            MusicQueue(entries: []), on: Registry.queue())
        brain.peer.publish(nowPlaying(false), on: Registry.now())
        // Who one is.
        await #expect {
            _ = try await BusClient.connect(to: hub.endpoints(pairing), as: "brain-two")
        } throws: {
            "\($0)".contains("the key kitchen may not be brain-two")
        }
        // What is heard: kept values, then as they come; a wish for everything is narrowed.
        let probe = Probe([""])
        let sensor = Running(probe, as: .sensor, over: ZeroMQTransport(try hub.endpoints(pairing)))
        await probe.wait { $0.messages.contains { $0.topic == "music/now/me" } }
        // What is said.
        sensor.peer.publish(Nudge(at: noon, delta: 1, kind: .energy), on: Registry.nudge())
        sensor.peer.publish(HeartRate(at: noon, bpm: 61, source: "t"), on: Registry.heartRate())
        await brainProbe.wait { $0.messages.contains { $0.topic == "bio/heart-rate/me" } }
        #expect(await !brainProbe.messages.contains { $0.topic.hasPrefix("input/") })
        // What is asked.
        let allowed = await withCheckedContinuation { continuation in
            sensor.peer.ask(Skip(), deadline: .seconds(10)) { continuation.resume(returning: $0) }
        }
        #expect(throws: Never.self) { try allowed.get() }
        let denied = await withCheckedContinuation { continuation in
            sensor.peer.ask(Pause(), deadline: .seconds(10)) { continuation.resume(returning: $0) }
        }
        #expect(throws: Refusal(code: "not-allowed", message: "the key kitchen may not ask brain for pause")) {
            try denied.get()
        }
        #expect(await brainProbe.requests == ["skip"])
        // Whatever it heard by then is within its rights.
        brain.peer.publish(
            MusicQueue(entries: []), on: Registry.queue())
        brain.peer.publish(nowPlaying(true), on: Registry.now())
        await probe.wait { $0.messages.filter { $0.topic == "music/now/me" }.count == 2 }
        let topics = await Set(probe.messages.map(\.topic))
        #expect(topics.isSubset(of: ["music/now/me", "sys/heartbeat/hub"]))
        // What it may not hear is not lost to it.
        #expect(sensor.peer.drops["gap"] == nil)
        await sensor.stop()
        await brain.stop()
        await hub.stop()
    }

    @Test func `a key that is taken off the list is cut off at once, the others come back`() async throws {
        let hub = try RemoteHub()
        let first = try hub.pair("first")
        let second = try hub.pair("second")
        await hub.start()
        let revoked = Running(Probe(["music/"]), as: "first", over: ZeroMQTransport(try hub.endpoints(first)))
        let stays = Running(Probe(["music/"]), as: "second", over: ZeroMQTransport(try hub.endpoints(second)))
        try await eventually { revoked.peer.isJoined && stays.peer.isJoined }
        try AuthorizedPeers.remove("first", in: hub.config.url)
        try await hub.reload()
        try await eventually { !revoked.peer.isJoined && revoked.peer.handshakeProblem != nil }
        try await eventually { stays.peer.isJoined }
        #expect(revoked.peer.handshakeProblem?.contains("not on the hub's list") == true)
        #expect(!revoked.peer.isJoined)
        await revoked.stop()
        await stays.stop()
        await hub.stop()
    }

    @Test func `a list that others can read lets nobody in`() async throws {
        let hub = try RemoteHub()
        let pairing = try hub.pair("kitchen")
        let path = AuthorizedPeers.file(in: hub.config.url).path(percentEncoded: false)
        #expect(chmod(path, 0o644) == 0)
        await hub.start()
        await #expect(throws: BusError.self) {
            _ = try await BusClient.connect(to: hub.endpoints(pairing), as: "kitchen")
        }
        try await eventually { hub.log.all.contains { $0.contains("chmod 600") } }
        await hub.stop()
    }

    @Test func `the hub's time reaches a peer on another machine before its service ticks`() async throws {
        let hub = try RemoteHub()
        let pairing = try hub.pair("kitchen")
        await hub.start()
        let probe = Probe(["music/"], tick: .milliseconds(10))
        let peer = Running(probe, as: "kitchen", over: ZeroMQTransport(try hub.endpoints(pairing)))
        await probe.wait { !$0.ticks.isEmpty }
        #expect(peer.peer.isTimeKnown)
        // Both ends have the same clocks here: the estimate must agree with them but for half the round trip.
        let bound = try #require(peer.peer.core.withLock { $0.hubClock.errorBoundNs })
        let offset = try #require(peer.peer.core.withLock { $0.hubClock.offsetNs })
        #expect(abs(offset) <= bound)
        await peer.stop()
        await hub.stop()
    }
}
