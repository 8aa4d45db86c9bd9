import Bus
import Foundation
import Protocols

/// What the faces show at this moment, put together from kept values and live messages.
struct Board: Encodable, Equatable {
    /// What a message changed that a person wants to hear of.
    enum Change: Equatable { case song, notice, state, reason, hub }

    var now: NowPlaying?
    var state: StateVector?
    var why: Why?
    var queue: MusicQueue?
    var progress: Protocols.Progress?
    /// Names of processes that have ended.
    var missing: [String] = []
    /// Names of processes that are there and say nothing.
    var silent: [String] = []
    /// False while the hub is silent.
    var hubAnswers = true

    /// The song that comes next, as far as it has been decided.
    var next: SongRef? {
        queue?.entries.first { $0.status == .upNext }?.song
            ?? queue?.entries.first { $0.status == .queuedIfUserSkips }?.song
    }

    /// Milliseconds into the song, when the player says it.
    var positionMs: Int64? { progress?.positionMs }

    static func subscriptions() -> [String] {
        [
            Registry.now.spec, Registry.state.spec, Registry.why.spec, Registry.queue.spec, Registry.progress.spec,
            Registry.processes.spec,
        ].map(\.family)
    }

    /// Takes the kept values of a snapshot; what cannot be read is left out.
    mutating func apply(_ snapshot: SnapshotReply, listener: String) {
        for value in snapshot.values { _ = apply(topic: value.topic, body: Data(value.json.utf8), listener: listener) }
    }

    /// Takes one message and says what it changed; topics of other listeners change nothing.
    mutating func apply(topic: String, body: Data, listener: String) -> [Change] {
        func read<Body: Message>(_ family: TopicFamily<Body>, of instance: String? = nil) -> Body? {
            guard topic == family(instance ?? listener).name || family.spec.family == topic else { return nil }
            return try? JSONDecoder().decode(Body.self, from: body)
        }
        if let new = read(Registry.now) {
            let old = now
            now = new
            if old?.song?.id != new.song?.id { (progress, why) = (nil, why?.song.id == new.song?.id ? why : nil) }
            if old?.notice != new.notice, new.notice != nil { return [.notice] }
            let songChanged = old?.song != new.song || old?.playing != new.playing || old?.startedAt != new.startedAt
            return songChanged ? [.song] : []
        }
        if let new = read(Registry.state) {
            defer { state = new }
            return state == new ? [] : [.state]
        }
        if let new = read(Registry.why) {
            defer { why = new }
            return why == new ? [] : [.reason]
        }
        if let new = read(Registry.queue) { queue = new }
        if let new = read(Registry.progress) { progress = new }
        if TopicSpec.family(of: topic) == Registry.processes.spec.family || topic == Registry.processes.spec.family,
            let table = try? JSONDecoder().decode(ProcessTable.self, from: body)
        {
            return apply(table)
        }
        return []
    }

    /// Takes the processes: who is still starting is not missing.
    @discardableResult
    mutating func apply(_ table: ProcessTable) -> [Change] {
        func names(_ states: Set<ProcessTable.State>) -> [String] {
            table.processes.filter { $0.life.map(states.contains) ?? false && !$0.process.isTool }
                .map(\.process.rawValue).sorted()
        }
        let (nowMissing, nowSilent) = (names([.ended]), names([.silent]))
        defer { (missing, silent) = (nowMissing, nowSilent) }
        return nowMissing == missing && nowSilent == silent ? [] : [.hub]
    }

    /// Takes what happened on the bus.
    mutating func apply(_ event: BusEvent, listener: String) -> [Change] {
        switch event {
        case .message(let message):
            guard !message.isTombstone else { return [] }
            return apply(topic: message.topic, body: Data(message.body), listener: listener)
        case .joined:
            defer { hubAnswers = true }
            return hubAnswers ? [] : [.hub]
        case .lost:
            defer { hubAnswers = false }
            return hubAnswers ? [.hub] : []
        case .tick, .request: return []
        }
    }
}

extension ProcessTable.Row {
    /// Where it is in its life, also by the word of a hub that only says whether it runs; nil = newer than this tool.
    var life: ProcessTable.State? {
        guard let state else { return !running ? .ended : ready ? .ready : .starting }
        return state.value
    }
}

extension ProcessName {
    /// A command of this tool, which comes and goes.
    var isTool: Bool { rawValue.hasPrefix("cli") || rawValue.hasPrefix("resonance") }
    /// The conductor only lives while virtual time is conducted.
    var isVisitor: Bool { isTool || self == .conductor }
}
