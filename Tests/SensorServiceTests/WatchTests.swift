import Bus
import Formats
import Foundation
import Logging
import Protocols
import Testing

@testable import SensorService

private func sharedData() -> URL? {
    if let path = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"], !path.isEmpty {
        return URL(filePath: path, directoryHint: .isDirectory)
    }
    var here = URL(filePath: #filePath).deletingLastPathComponent()
    while here.path() != "/" {
        let candidate = here.appending(path: "shared/data", directoryHint: .isDirectory)
        if FileManager.default.fileExists(atPath: candidate.path(percentEncoded: false)) { return candidate }
        here = here.deletingLastPathComponent()
    }
    return nil
}

/// 2016-05-10T06:55:00Z: just before the first heart rate of the example days.
private let morning = Timestamp(milliseconds: 1_462_863_300_000)

private func makeWatch(
    _ source: any SampleSource, features: SongFeatures = .unknown, show: (@Sendable (String) -> Void)? = nil
) -> Watch {
    Watch(source: source, listener: "me", logger: Logger(label: "test"), features: features, show: show)
}

private struct RecordingBody: SampleSource {
    let heard: AsyncStream<HeardMusic?>.Continuation
    mutating func samples(until now: Timestamp) -> [RecordedSample] { [] }
    mutating func hear(_ music: HeardMusic?, at now: Timestamp) { heard.yield(music) }
}

/// Says one heart rate, once.
private struct OneBeat: SampleSource {
    let said: AsyncStream<Void>.Continuation
    var left = true
    mutating func samples(until now: Timestamp) -> [RecordedSample] {
        defer {
            left = false
            said.finish()
        }
        return left ? [.heartRate(HeartRate(at: now, bpm: 61.4711, source: "test"))] : []
    }
    mutating func hear(_ music: HeardMusic?, at now: Timestamp) {}
}

struct WatchTests {
    @Test func `a confirmed deletion takes samples that wait, in memory and in the outbox`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        // A hub that refuses events: they stay in the outbox.
        var limits = SpoolLimits()
        limits.maxEvents = 0
        let hub = MemoryHub(spool: MemorySpool(limits: limits))
        let peer = BusPeer(
            identity: PeerIdentity(name: .sensor), transport: hub.transport(),
            outbox: try Outbox(name: .sensor, in: folder))
        let (beat, said) = AsyncStream.makeStream(of: Void.self)
        let watch = makeWatch(OneBeat(said: said))
        let loop = Task { try await runPeer(watch, on: peer) }
        let client = try await BusClient.connect(
            over: hub.transport(), as: "asker", subscriptions: ["bio/heart-rate"], timeout: .seconds(20))
        // The beat has been said, so its batch waits in memory; an earlier one waits in the outbox.
        for await _ in beat {}
        while !peer.isJoined { try await Task.sleep(for: .milliseconds(5)) }
        peer.publish(
            BioBatch(heartRate: [HeartRate(at: morning, bpm: 58.4711, source: "test")]), on: Registry.bioBatch())
        let file = folder.appending(path: "outbox/sensor-emitter.outbox")
        #expect(try Data(contentsOf: file).range(of: Data("58.4711".utf8)) != nil)
        let _: Done = try await client.request(
            .sensor, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        #expect(peer.unacknowledged == 0)
        #expect(try Data(contentsOf: file).isEmpty)
        // At its end it sends what it has not sent yet: nothing.
        await client.close()
        loop.cancel()
        _ = await loop.result
        #expect(try Data(contentsOf: file).isEmpty)
    }

    @Test(.enabled(if: sharedData() != nil, "needs the shared data folder"))
    func `the example days come out exactly as they are in the files`() async throws {
        let folder = try #require(sharedData()).appending(path: "days")
        let names = ["heart-rate.csv", "motion.csv", "workouts.csv", "moods.csv"]
        let recordings = try names.map { try Recording(path: folder.appending(path: $0).path(percentEncoded: false)) }
        // 06:55 to 12:00 of the first day, counted by the text of the first column.
        let rows = try names.map { name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(whereSeparator: \.isNewline)
                .dropFirst().filter { $0 >= "2016-05-10T06:55:00Z" && $0 <= "2016-05-10T12:00:00Z~" }
        }
        let bus = LockStep(start: morning)
        bus.add(makeWatch(ReplaySource(recordings)), as: .sensor)
        await bus.advance(to: morning.adding(seconds: 18_300), step: .seconds(5))
        await bus.finish(.sensor)
        await bus.step(to: bus.now)
        let rates = try bus.messages(of: Registry.heartRate)
        let motion = try bus.messages(of: Registry.motion)
        #expect(rates.count == rows[0].count)
        #expect(motion.count == rows[1].count)
        #expect(try bus.messages(of: Registry.workout).count == 2 * rows[2].count)
        #expect(rates.map { "\(Int($0.bpm))" } == rows[0].map { String($0.split(separator: ",")[1]) })
        let batches = try bus.messages(of: Registry.bioBatch)
        #expect(batches.flatMap(\.heartRate) == rates)
        #expect(batches.flatMap(\.motion) == motion)
    }

    @Test func `batches repeat every sample once, about every 30 s, the last one at the end`() async throws {
        let start = Timestamp(milliseconds: 1_795_176_000_000)
        let bus = LockStep(start: start)
        bus.add(makeWatch(SimulatedBody(seed: 1, timeZone: .gmt)), as: .sensor)
        await bus.advance(to: start.adding(seconds: 310), step: .seconds(5))
        await bus.finish(.sensor)
        await bus.step(to: bus.now)
        let batches = try bus.messages(of: Registry.bioBatch)
        #expect((9...12).contains(batches.count))
        #expect(batches.flatMap(\.heartRate) == (try bus.messages(of: Registry.heartRate)))
        #expect(batches.flatMap(\.rr) == (try bus.messages(of: Registry.rr)))
        #expect(batches.flatMap(\.motion) == (try bus.messages(of: Registry.motion)))
        #expect(batches.flatMap(\.heartRate).count == 305)
        #expect(try bus.messages(of: Registry.rr).allSatisfy { $0.rrMs.reduce(0, +) < 4000 })
    }

    @Test func `the wearer's commands reach the bus with the time of the bus`() async throws {
        let start = Timestamp(milliseconds: 1_795_176_000_000)
        let port = RecordingPort(now: start)
        let watch = makeWatch(SimulatedBody(seed: 1, timeZone: .gmt))
        for line in ["mood 2 4", "crown -0.25 intensity", "pause", "volume 0.3"] {
            await watch.perform(try WatchCommand(line: line))
        }
        try await watch.receive(.tick, bus: port)
        #expect(try port.messages(of: Registry.mood) == [MoodInput(at: start, mood: 2, energy: 4, via: "watch")])
        #expect(try port.messages(of: Registry.nudge) == [Nudge(at: start, delta: -0.25, kind: .intensity)])
        #expect(port.asked.map(\.name) == ["pause", "volume"])
        #expect(port.asked.allSatisfy { $0.process == .brain })
    }

    @Test(arguments: ["", "mood 6 1", "crown 2", "crown 0.5 loudness", "volume loud", "dance", "play it again"])
    func `a line that is no command is refused with what can be typed`(line: String) {
        #expect {
            _ = try WatchCommand(line: line)
        } throws: { error in
            (error as? Refusal)?.message.contains("crown DELTA") == true
        }
    }

    @Test func `the body hears each song once, and silence when it stops`() async throws {
        let (heard, sink) = AsyncStream.makeStream(of: HeardMusic?.self)
        let bus = LockStep(start: Timestamp(milliseconds: 1_795_176_000_000))
        bus.add(makeWatch(RecordingBody(heard: sink)), as: .sensor)
        let song = SongRef(id: "s", title: "S", artist: "A")
        for playing in [true, true, false] {
            bus.publish(
                NowPlaying(song: song, playlist: nil, startedAt: nil, durationMs: nil, playing: playing, pick: nil),
                on: Registry.now())
            await bus.step(to: bus.now)
            await bus.step(to: bus.now)
        }
        sink.finish()
        var all: [HeardMusic?] = []
        for await music in heard { all.append(music) }
        #expect(all == [HeardMusic(songId: "s"), nil])
    }

    @Test func `shows the glance as a line`() {
        let glance = Glance(title: "Song", artist: "Band", shortReason: "calm", playing: true)
        #expect(Watch.line(glance) == "playing Song by Band (calm)")
    }
}

struct ReplaySourceTests {
    private let start = Timestamp(milliseconds: 1_462_863_326_000)

    private func recording(_ text: String) throws -> Recording {
        try Recording { () throws(FormatError) in ByteStream(bytes: Array(text.utf8), name: "r") }
    }

    @Test func `a moved recording keeps its distances`() throws {
        let target = Timestamp(milliseconds: 1_795_176_000_000)
        var source = ReplaySource(
            [try recording("time,bpm\n2016-05-10T06:55:26Z,71\n2016-05-10T06:55:31Z,70\n")], startAt: target)
        #expect(source.samples(until: target.adding(seconds: -1)).isEmpty)
        #expect(source.samples(until: target.adding(seconds: 4.999)).map(\.at) == [target])
        #expect(source.samples(until: target.adding(seconds: 5)).map(\.at) == [target.adding(seconds: 5)])
        #expect(source.isOver)
    }

    @Test func `a window takes its beginning and leaves its end`() throws {
        var source = ReplaySource(
            [try recording("1462863326,71\n1462863327,72\n1462863328,73\n")], from: start.adding(seconds: 1),
            to: start.adding(seconds: 2))
        #expect(source.samples(until: start.adding(seconds: 100)).map(\.at) == [start.adding(seconds: 1)])
    }

    @Test func `an old recording on a clock of today begins now, and a loop begins again`() throws {
        let today = Timestamp(milliseconds: 1_795_176_000_000)
        var source = ReplaySource([try recording("1462863326,71\n1462863336,72\n")], loop: true)
        // Rounds of 10 s and 1 s between them.
        let samples = source.samples(until: today) + source.samples(until: today.adding(seconds: 32))
        #expect(samples.map { $0.at.seconds(since: today) } == [0, 10, 11, 21, 22, 32])
    }

    @Test func `what was told long before this process began is not told again`() throws {
        var source = ReplaySource([try recording("1462863326,71\n1462863336,72\n1462864326,73\n")])
        #expect(source.samples(until: start.adding(seconds: 1001)).count == 1)
        #expect(source.skipped == 2)
    }

    @Test func `beats without times begin together with the other recordings`() throws {
        var source = ReplaySource([try recording("800\n810\n790\n"), try recording("1462863326,71\n")])
        let samples = source.samples(until: start.adding(seconds: 60))
        let first = samples.compactMap { if case .rr(let rr) = $0 { rr } else { nil } }.first
        #expect(first?.startAt == start)
    }
}
