import Bus
import Foundation
import Protocols

/// What a role does: publishes at its rate, listens, keeps books of both.
actor ChaosActor: BusService {
    nonisolated let subscriptions: [String]
    nonisolated let tick = Duration.milliseconds(20)
    private static let stateTopics = 8

    private let role: Role
    private let life: Int
    private let rate: Double
    private let directory: URL
    private let peer: BusPeer
    private let effects: EffectStore?
    private var books: Books
    private var tallies: [String: Tally] = [:]
    private var numbers: [String: UInt64] = [:]
    private var due: [String: Double] = [:]
    private var lastTickMs: Int64?
    private var booksDueMs: Int64 = 0
    private var isQuiet = false
    private var hasJoined = false
    private(set) var isBroken = false

    init(role: Role, life: Int, rate: Double, directory: URL, peer: BusPeer) throws {
        self.role = role
        self.life = life
        self.rate = rate
        self.directory = directory
        self.peer = peer
        switch role {
        case .brain, .body, .witness:
            subscriptions =
                ["bio/heart-rate", "music/progress", "library/revision", "context/desktop"]
                + (role == .witness ? [] : ["bio/workout"]) + (role == .body ? ["bio/batch"] : [])
                + (role == .brain ? ["player/event"] : [])
        default: subscriptions = []
        }
        effects = Role.readers.contains(role) ? try EffectStore(role: role, in: directory) : nil
        books = Books(role: role, life: life, beganMs: Moment.readMonotonic() / 1_000_000)
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .message(let message): try hear(message)
        case .request(let request): echo(request)
        case .joined:
            if books.joinedMs == nil { books.joinedMs = Moment.readMonotonic() / 1_000_000 }
            if !hasJoined { sayStates(bus) }
            hasJoined = true
        case .tick: work(bus)
        case .lost: break
        }
    }

    // MARK: - Hearing

    private func hear(_ message: Received) throws {
        switch message.header.deliveryClass {
        case .live:
            var heard = books.heard[message.topic] ?? Books.Heard()
            let number = try number(of: message)
            heard.count += 1
            if heard.first == 0 { heard.first = number }
            if number <= heard.last { heard.misplaced += 1 }
            heard.last = max(heard.last, number)
            let ageMs = Moment.readMonotonic() / 1_000_000 - message.header.monotonicNs / 1_000_000
            // Between the judgement of its age and this line a process may be stopped for a moment.
            if message.header.ttlMs > 0, ageMs > Int64(message.header.ttlMs) + 1000 { heard.stale += 1 }
            books.heard[message.topic] = heard
        case .state:
            books.states[message.topic] = message.isTombstone ? nil : String(decoding: message.body, as: UTF8.self)
        case .event:
            guard let effects else { return }
            try effects.handle(message, mark: mark(of: message), life: life)
        default: break
        }
    }

    private func number(of message: Received) throws -> UInt64 {
        if let rate = try message.decode(Registry.heartRate) { return UInt64(rate.bpm) }
        return UInt64(try message.decode(Registry.progress)?.positionMs ?? 0)
    }

    private func mark(of message: Received) throws -> String {
        if let workout = try message.decode(Registry.workout) { return workout.sport }
        if let batch = try message.decode(Registry.bioBatch) { return batch.heartRate.first?.source ?? "" }
        return try message.decode(Registry.playerEvent)?.playId ?? ""
    }

    private func echo(_ request: IncomingRequest) {
        guard let question = try? request.decodeBody(Done.self) else {
            request.refuse(Refusal(code: "invalid", message: "no question"))
            return
        }
        request.reply(question)
    }

    // MARK: - Working

    private func work(_ bus: any BusPort) {
        let nowMs = Moment.readMonotonic() / 1_000_000
        // After a freeze nothing is made up for: a sensor does not speak of the past either.
        let seconds = min(0.1, Double(nowMs - (lastTickMs ?? nowMs)) / 1000)
        lastTickMs = nowMs
        if !isQuiet, FileManager.default.fileExists(atPath: Player.quiet(directory).path(percentEncoded: false)) {
            isQuiet = true
        }
        if !isQuiet, hasJoined || role != .witness { publish(for: seconds * rate / 1000, bus) }
        guard nowMs >= booksDueMs else { return }
        booksDueMs = nowMs + 1000
        writeBooks()
    }

    private func times(_ stream: String, _ perSecond: Double, _ seconds: Double) -> Int {
        let wanted = (due[stream] ?? 0) + perSecond * seconds
        due[stream] = wanted - wanted.rounded(.down)
        return Int(wanted)
    }

    /// - Parameter seconds: that have passed, at 1,000 messages a second of all processes together.
    private func publish(for seconds: Double, _ bus: any BusPort) {
        switch role {
        case .sensor:
            for _ in 0..<times("live", 350, seconds) {
                let number = next("bio/heart-rate/s\(life)")
                bus.publish(
                    HeartRate(at: bus.now, bpm: Double(number), source: "chaos"), on: Registry.heartRate("s\(life)"))
            }
            for _ in 0..<times("workout", 80, seconds) {
                event("workout-\(life)") { mark in
                    bus.publish(Workout(phase: .started, sport: mark, at: bus.now), on: Registry.workout())
                }
            }
            for _ in 0..<times("batch", 60, seconds) {
                event("batch-\(life)") { mark in
                    let sample = HeartRate(at: bus.now, bpm: 60, source: mark)
                    bus.publish(BioBatch(heartRate: [sample]), on: Registry.bioBatch())
                }
            }
        case .player:
            for _ in 0..<times("live", 150, seconds) {
                let number = next("music/progress/p\(life)")
                bus.publish(
                    Progress(positionMs: Int64(number), playing: true, volume: 0.5), on: Registry.progress("p\(life)"))
            }
            for _ in 0..<times("event", 60, seconds) {
                event("player-\(life)") { mark in
                    bus.publish(
                        PlayerEvent(
                            at: bus.now, kind: .started, playId: mark, songId: nil, positionMs: 0, durationMs: nil,
                            listenedMs: 0, volume: 0.5), on: Registry.playerEvent())
                }
            }
        case .librarian, .context:
            for _ in 0..<times("state", role == .librarian ? 150 : 100, seconds) { sayState(bus) }
        case .brain:
            for _ in 0..<times("ask", 50, seconds) { ask(bus) }
        case .body, .witness: break
        }
    }

    /// Numbers a live message; the number is on disk before it is sent.
    private func next(_ topic: String) -> UInt64 {
        let number = (numbers[topic] ?? 0) + 1
        numbers[topic] = number
        books.published[topic] = number
        set("published-" + topic.replacing("/", with: "_"), number)
        return number
    }

    private func set(_ name: String, _ value: UInt64) {
        do {
            let tally = try tallies[name] ?? Tally(directory.appending(path: name))
            tallies[name] = tally
            tally.set(value)
        } catch {
            isBroken = true
        }
    }

    /// Publishes an event and, once that has returned without a complaint, counts it as promised.
    private func event(_ stream: String, _ publish: (String) -> Void) {
        let number = (numbers[stream] ?? 0) + 1
        let before = refusedEvents
        publish("\(stream)-\(number)")
        guard refusedEvents == before else { return }
        numbers[stream] = number
        books.events[stream] = number
        set("promised-\(stream)", number)
    }

    private var refusedEvents: UInt64 {
        let drops = peer.drops
        return (drops["outbox-full"] ?? 0) + (drops["outbox-disk"] ?? 0)
    }

    /// A new life says all of its states anew: what its predecessor said is not its word.
    private func sayStates(_ bus: any BusPort) {
        guard role == .librarian || role == .context else { return }
        for index in 0..<Self.stateTopics { sayState(bus, index: index) }
    }

    private func sayState(_ bus: any BusPort, index: Int? = nil) {
        let number = next("state-\(role.rawValue)-\(life)")
        let index = index ?? Int(number) % Self.stateTopics
        // Now and then a value is taken back; the next one is said a moment later.
        let isDeleted = number % 13 == 0
        if role == .librarian {
            let topic = Registry.library("\(index)")
            let value = LibraryRevision(
                revision: Int64(life) * 10_000_000 + Int64(number), songs: index, playlists: 0, analysed: 0, pending: 0)
            if isDeleted { bus.withdraw(topic) } else { bus.publish(value, on: topic) }
            own(topic.name, isDeleted ? nil : value)
        } else {
            let topic = Registry.desktop("\(index)")
            let value = DesktopContext(
                at: Timestamp(milliseconds: Int64(life) * 10_000_000 + Int64(number)), app: "editor")
            if isDeleted { bus.withdraw(topic) } else { bus.publish(value, on: topic) }
            own(topic.name, isDeleted ? nil : value)
        }
    }

    private func own(_ topic: String, _ value: (some Message)?) {
        books.owned[topic] = value.flatMap { try? String(decoding: MessageCoding.encode($0), as: UTF8.self) }
    }

    private func ask(_ bus: any BusPort) {
        books.asked += 1
        let note = "\(life)-\(books.asked)"
        bus.ask(.librarian, "echo", Done(note: note), deadline: .seconds(3)) {
            [weak self] (result: Result<Done, Refusal>) in
            await self?.hear(result, of: note)
        }
    }

    private func hear(_ result: Result<Done, Refusal>, of note: String) {
        switch result {
        case .success(let answer):
            books.answered += 1
            if answer.note != note { books.wrongAnswers += 1 }
        case .failure(let refusal): books.refused[refusal.code, default: 0] += 1
        }
    }

    // MARK: - Books

    private func writeBooks() {
        books.lost = peer.lostByTopic
        books.drops = peer.drops
        books.unacknowledged = peer.unacknowledged
        do {
            try books.write(to: directory)
        } catch {
            isBroken = true
        }
    }

    /// The last word of this life.
    func close() throws {
        books.isFinal = true
        writeBooks()
    }
}
