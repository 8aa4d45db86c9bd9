import Bus
import Foundation
import Protocols
import Synchronization

@testable import ResonanceCLI

/// Answers as a test says, and remembers what it was asked.
final class FakeHousehold: Household {
    let listener: String
    let events: AsyncStream<BusEvent>
    private let answers = Mutex<[String: Result<Data, Refusal>]>([:])
    private let hanging = Mutex<Set<String>>([])
    private let questions = Mutex<[Question]>([])
    private let effect = Mutex<(@Sendable (Question) -> Void)?>(nil)

    struct Question: Sendable, Equatable {
        var process: String
        var name: String
        var body: JSONValue
    }

    init(listener: String = "me", events: [BusEvent] = []) {
        self.listener = listener
        self.events = AsyncStream { sink in
            events.forEach { sink.yield($0) }
            sink.finish()
        }
    }

    var asked: [Question] { questions.withLock { $0 } }

    /// What a process does before it answers.
    func onQuestion(_ action: @escaping @Sendable (Question) -> Void) { effect.withLock { $0 = action } }

    func answer<Query: Request>(_: Query.Type, with reply: Query.Reply) throws {
        try answer(Query.target, Query.name, with: reply)
    }

    func answer(_ process: ProcessName, _ name: String, with reply: some Encodable) throws {
        let data = try JSONEncoder().encode(reply)
        answers.withLock { $0["\(process)/\(name)"] = .success(data) }
    }

    func refuse(_ process: ProcessName, _ name: String, code: String, message: String = "no") {
        answers.withLock { $0["\(process)/\(name)"] = .failure(Refusal(code: code, message: message)) }
    }

    /// A process that takes a question and never answers it.
    func hang(_ process: ProcessName, _ name: String) { hanging.withLock { _ = $0.insert("\(process)/\(name)") } }

    func request<Query: Request>(_ query: Query, deadline: Duration?) async throws(Refusal) -> Query.Reply {
        try reply(Query.target, Query.name, query)
    }

    func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration?
    ) async throws(Refusal) -> Reply {
        if hanging.withLock({ $0.contains("\(process)/\(name)") }) {
            try? await Task.sleep(for: .seconds(3600))
            throw Refusal(code: "deadline", message: "\(process) did not answer \(name) in time")
        }
        return try reply(process, name, query)
    }

    func leave() async {}

    private func reply<Reply: Message>(_ process: ProcessName, _ name: String, _ query: some Encodable)
        throws(Refusal) -> Reply
    {
        do {
            let body = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(query))
            let question = Question(process: process.rawValue, name: name, body: body)
            questions.withLock { $0.append(question) }
            effect.withLock { $0 }?(question)
            let answer = answers.withLock { $0["\(process)/\(name)"] }
            guard let answer else {
                throw Refusal(code: "unknown-process", message: "\(process) is not there")
            }
            return try JSONDecoder().decode(Reply.self, from: try answer.get())
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(code: "internal", message: "\(error)")
        }
    }
}

/// A terminal that remembers what was written.
final class Paper: Sendable {
    private let written = Mutex(("", ""))
    let answers: [String]
    private let next = Mutex(0)

    init(answers: [String] = []) { self.answers = answers }

    var output: String { written.withLock { $0.0 } }
    var error: String { written.withLock { $0.1 } }
    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    func terminal(width: Int? = nil, zone: String = "UTC") -> Terminal {
        Terminal(
            width: width, timeZone: TimeZone(identifier: zone) ?? .gmt,
            output: { text in self.written.withLock { $0.0 += text } },
            error: { text in self.written.withLock { $0.1 += text } },
            input: {
                self.next.withLock { index in
                    defer { index += 1 }
                    return index < self.answers.count ? self.answers[index] : nil
                }
            })
    }
}

/// Messages that several tests show.
enum Sample {
    static let noon = Timestamp(milliseconds: 1_767_268_800_000)  // 2026-01-01T12:00:00Z
    static let song = SongRef(
        id: "s1", title: "Blue Monday", artist: "New Order", album: "Substance", durationMs: 449_000)
    static let other = SongRef(id: "s2", title: "Porcelain", artist: "Moby", durationMs: 241_000)
    static let state = StateVector(
        at: noon, arousal: 0.25, energy: 0.5, focus: 0.75, stress: 0.4, valence: 1, activityContext: .deepWork,
        need: .focus, confidence: 0.72,
        sources: [SourceAge(name: "heartRate", ageSeconds: 3, confidence: 0.9)], bpm: 64.4)
    static let now = NowPlaying(
        song: song, playlist: "Everything", startedAt: noon, durationMs: 449_000, playing: true, pick: .ai)
    static let terms = [
        ScoreTerm(name: "tempo", value: 0.8, weight: 0.25, contribution: 0.2, text: "130 BPM against 128"),
        ScoreTerm(name: "energy", value: 0.5, weight: 0.5, contribution: 0.25),
    ]
    static let why = Why(
        song: song, text: "Keeps you in flow.", score: 0.45, confidence: 0.6, terms: terms, state: state,
        probability: 0.125, candidateCount: 40, random: false, relaxations: ["artistWindow"])

    static func table(_ rows: [ProcessTable.Row]) -> ProcessTable {
        ProcessTable(at: noon, hubEpoch: 1, processes: rows)
    }

    static func row(
        _ process: ProcessName, running: Bool = true, ready: Bool = true, version: String = "0.1.0", restarts: Int = 0,
        topics: [ProcessTable.TopicHealth] = []
    ) -> ProcessTable.Row {
        ProcessTable.Row(
            process: process, running: running, ready: ready, pid: 42, version: version, restarts: restarts,
            silentSeconds: running ? 0.4 : 77, topics: topics)
    }

    static func row(
        _ process: ProcessName, state: ProcessTable.State, wanted: ProcessTable.Wanted? = nil
    ) -> ProcessTable.Row {
        var row = row(process, running: state == .ready, ready: state == .ready)
        row.state = Open(state)
        row.wanted = wanted.map { Open($0) }
        if state == .ended { row.pid = 0 }
        return row
    }

    static let fullHouse: [ProcessTable.Row] = [
        row(.librarian), row(.body), row("player-stub"), row(.context), row(.sensor), row(.brain),
    ]

    static func brain(playlists: [String] = ["Everything"], pool: Int = 240, breaches: Int = 0) -> BrainStatusReply {
        BrainStatusReply(
            state: state, now: now, playlists: playlists, pool: pool, sessionId: "x", decisions: 12,
            breaches: breaches, relaxations: 1, djMode: DJMode(on: false, energyNudge: 0, tempoNudge: 0),
            moodUntilAt: nil, coverage: 0.05)
    }

    static func message<Body: Message>(_ body: Body, on topic: Topic<Body>, kept: Bool = false) throws -> BusEvent {
        let header = Header(
            deliveryClass: topic.spec.deliveryClass, schema: topic.spec.schema, flags: kept ? .snapshot : [], epoch: 7,
            sequence: 3, wallNs: noon.milliseconds * 1_000_000, monotonicNs: 0)
        return .message(Received(topic: topic.name, header: header, body: Array(try JSONEncoder().encode(body))))
    }

    static func kept<Body: Message>(_ body: Body, on topic: Topic<Body>) throws -> Retained {
        Retained(
            topic: topic.name, epoch: 7, sequence: 3, schema: topic.spec.schema, sentAt: noon,
            json: String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
    }
}
