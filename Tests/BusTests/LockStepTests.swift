import Bus
import Foundation
import Protocols
import Testing

/// Remembers what it hears; answers mood questions; fails on events as often as told.
actor Listener: BusService {
    nonisolated let subscriptions: [String]
    private(set) var heard: [String] = []
    private(set) var times: [Timestamp] = []
    private var failuresLeft: Int
    private let onMessage: @Sendable (Received, any BusPort) -> Void
    private let onRequest: @Sendable (IncomingRequest, any BusPort) -> Void

    init(
        _ subscriptions: [String], failures: Int = 0,
        onMessage: @escaping @Sendable (Received, any BusPort) -> Void = { _, _ in },
        onRequest: @escaping @Sendable (IncomingRequest, any BusPort) -> Void = { request, _ in
            request.reply(Done(note: "done"))
        }
    ) {
        self.subscriptions = subscriptions
        failuresLeft = failures
        self.onMessage = onMessage
        self.onRequest = onRequest
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .message(let message):
            if message.header.deliveryClass == .event, failuresLeft > 0 {
                failuresLeft -= 1
                throw Refusal(code: "internal", message: "disk full")
            }
            heard.append("\(message.topic)#\(message.header.sequence)\(message.isTombstone ? " deleted" : "")")
            onMessage(message, bus)
        case .request(let request):
            heard.append("\(request.name)?")
            onRequest(request, bus)
        case .joined:
            heard.append("joined")
        case .lost:
            heard.append("lost")
        case .tick:
            times.append(bus.now)
        }
    }

    func note(_ text: String) { heard.append(text) }
}

let noon = Timestamp(milliseconds: 1_700_000_000_000)

struct LockStepTests {
    @Test func `a message arrives with the next step, after the kept values and the greeting`() async throws {
        let bus = LockStep(start: noon)
        bus.publish(revision(1), on: Registry.library())
        await bus.step(to: noon)
        let listener = Listener(["library/revision", "bio/"])
        bus.add(listener, as: .brain)
        bus.publish(HeartRate(at: noon, bpm: 60, source: "test"), on: Registry.heartRate())
        await bus.advance(by: .seconds(12), step: .seconds(5))
        #expect(await listener.heard == ["library/revision/me#1", "joined", "bio/heart-rate/me#1"])
        #expect(await listener.times == [5, 10, 12].map { noon.adding(seconds: $0) })
        #expect(try bus.messages(of: Registry.heartRate).map(\.bpm) == [60])
    }

    @Test func `senders are heard in the order of their names, each in its own order`() async throws {
        let bus = LockStep(start: noon)
        let listener = Listener(["bio/"])
        bus.add(listener, as: .body)
        for (name, bpm) in [("zeta", 1.0), ("alpha", 2), ("zeta", 3), ("alpha", 4)] {
            bus.port(of: ProcessName(rawValue: name))
                .publish(HeartRate(at: noon, bpm: bpm, source: name), on: Registry.heartRate(name))
        }
        await bus.step(to: noon)
        #expect(
            await listener.heard == [
                "joined", "bio/heart-rate/alpha#1", "bio/heart-rate/alpha#2", "bio/heart-rate/zeta#1",
                "bio/heart-rate/zeta#2",
            ])
    }

    @Test func `a question gets its answer, an absent process is named at once`() async throws {
        let bus = LockStep(start: noon)
        bus.add(Listener([]), as: "player-stub", roles: [.player])
        await #expect(throws: Refusal.self) { try await bus.request(ListPlaylists()) }
        let error = await #expect(throws: Refusal.self) { try await bus.request(PlayerPause()) }
        #expect(error?.code == "invalid")
        let done: Done = try await bus.request(.player, "anything", PlayerPause())
        #expect(done.note == "done")
    }

    @Test func `a question between services is answered two steps later`() async throws {
        let bus = LockStep(start: noon)
        let answers = Listener([])
        bus.add(
            Listener(
                ["bio/"],
                onMessage: { _, port in
                    port.ask(.librarian, "anything", Done(), deadline: .seconds(5)) { (result: Result<Done, Refusal>) in
                        let note = (try? result.get())?.note ?? "refused"
                        await answers.note("\(note) at \(port.now.seconds(since: noon))")
                    }
                }), as: .brain)
        bus.add(Listener([]), as: .librarian)
        bus.publish(HeartRate(at: noon, bpm: 60, source: "test"), on: Registry.heartRate())
        await bus.advance(by: .seconds(20), step: .seconds(5))
        #expect(await answers.heard == ["done at 15.0"])
    }

    @Test func `an event that could not be stored comes again, five failures make it poison`() async throws {
        let bus = LockStep(start: noon)
        let clumsy = Listener(["bio/workout"], failures: 2)
        let broken = Listener(["bio/workout"], failures: .max)
        bus.add(clumsy, as: .brain)
        bus.add(broken, as: .body)
        bus.publish(Workout(phase: .started, sport: "running", at: noon), on: Registry.workout())
        await bus.advance(by: .seconds(60), step: .seconds(1))
        #expect(await clumsy.heard == ["joined", "bio/workout/me#1"])
        #expect(bus.poisoned.map(\.topic) == ["bio/workout/me"])
    }

    @Test func `an event waits for a consumer that is away`() async throws {
        let bus = LockStep(start: noon)
        bus.publish(Workout(phase: .started, sport: "running", at: noon), on: Registry.workout())
        await bus.step(to: noon)
        let late = Listener(["bio/workout"])
        bus.add(late, as: .brain)
        await bus.step(to: noon)
        #expect(await late.heard == ["joined", "bio/workout/me#1"])
    }

    @Test func `a deleted state is gone for who comes later`() async throws {
        let bus = LockStep(start: noon)
        bus.publish(revision(1), on: Registry.library())
        bus.port(of: LockStep.testIdentity).withdraw(Registry.library())
        await bus.step(to: noon)
        let late = Listener(["library/revision"])
        bus.add(late, as: .brain)
        await bus.step(to: noon)
        #expect(await late.heard == ["joined"])
    }

    func revision(_ number: Int64) -> LibraryRevision {
        LibraryRevision(revision: number, songs: 0, playlists: 0, analysed: 0, pending: 0)
    }
}
