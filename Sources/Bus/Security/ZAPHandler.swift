import CZeroMQ
import Foundation
import Synchronization

/// Who may come in, shared by the thread that answers libzmq and the hub.
final class Gate: Sendable {
    struct Refusal: Sendable, Hashable {
        /// Short form of the key that nobody knows; nil = it came without one.
        let fingerprint: String?
        let address: String
    }

    private struct State {
        var names: [CurveKey: String] = [:]
        var refusals: [Refusal] = []
        var refusalCount: UInt64 = 0
    }

    private static let refusalLimit = 256
    private let state = Mutex(State())

    func admit(_ peers: [AuthorizedPeer]) {
        let names = Dictionary(peers.map { ($0.publicKey, $0.name) }, uniquingKeysWith: { first, _ in first })
        state.withLock { $0.names = names }
    }

    /// - Returns: the name that belongs to the key, or nil: stays outside, and is remembered for the log.
    func judge(_ key: CurveKey?, address: String) -> String? {
        state.withLock { state in
            if let key, let name = state.names[key] { return name }
            state.refusalCount += 1
            if state.refusals.count < Self.refusalLimit {
                state.refusals.append(Refusal(fingerprint: key?.fingerprint, address: address))
            }
            return nil
        }
    }

    /// - Returns: those since the last call; `total` also counts what was too much to remember.
    func takeRefusals() -> (refusals: [Refusal], total: UInt64) {
        state.withLock { state in
            defer {
                state.refusals = []
                state.refusalCount = 0
            }
            return (state.refusals, state.refusalCount)
        }
    }
}

/// Answers libzmq's question who may come in (ZAP, ZeroMQ RFC 27), on a thread of its own.
///
/// Without such a handler libzmq lets everybody in. Three things stand against that: the hub binds nothing before this
/// has bound its address; the address stays bound as long as the sockets live, so that questions to a dead thread stay
/// without an answer, which libzmq takes for a no; and the hub listens to nobody whom this has not given a name.
actor ZAPHandler {
    static let endpoint = "inproc://zeromq.zap.01"
    static let domain = "resonance"

    nonisolated let loop: IOLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private nonisolated let ended = Ended()
    private nonisolated let serving = Atomic<Bool>(false)
    private let socket: ZMQSocket
    private let gate: Gate
    private let onRefusal: @Sendable () -> Void

    /// - Parameter onRefusal: called on this handler's thread after each refusal.
    init(_ context: ZMQContext, gate: Gate, onRefusal: @escaping @Sendable () -> Void) throws(BusError) {
        loop = try IOLoop()
        self.gate = gate
        self.onRefusal = onRefusal
        socket = try ZMQSocket(context, ZMQ_REP)
        try socket.bind(Self.endpoint)
    }

    /// True between start and end: only then may anything be bound that asks it.
    nonisolated var isServing: Bool { serving.load(ordering: .acquiring) }

    nonisolated func start() {
        serving.store(true, ordering: .releasing)
        let thread = Thread { [self] in
            loop.adopt()
            loop.run(
                { assumeIsolated { [$0.socket.pollItem(ZMQ_POLLIN)] } }, wanted: { ([], -1) },
                ready: { assumeIsolated { $0.answer() } })
            serving.store(false, ordering: .releasing)
            ended.set()
        }
        thread.name = "hub-zap"
        thread.start()
    }

    nonisolated func finish() async {
        loop.stop()
        await ended.wait()
    }

    private func answer() {
        while true {
            var frames: [[UInt8]] = []
            guard socket.receive({ _, bytes in frames.append(Array(bytes)) }) > 0 else { return }
            let reply = judge(frames)
            for (index, frame) in reply.enumerated() { _ = socket.send(frame, more: index + 1 < reply.count) }
        }
    }

    /// Question: version, request, domain, address, identity, mechanism, credentials. Answer: version, request, status,
    /// text, user, metadata.
    private func judge(_ question: [[UInt8]]) -> [[UInt8]] {
        let version = Array("1.0".utf8)
        func reply(_ status: String, _ text: String, user: String = "") -> [[UInt8]] {
            [
                version, question.count > 1 ? question[1] : [], Array(status.utf8), Array(text.utf8), Array(user.utf8),
                [],
            ]
        }
        guard question.count >= 7, question[0] == version, question[2] == Array(Self.domain.utf8),
            question[5] == Array("CURVE".utf8)
        else { return reply("500", "no question about CURVE in this domain") }
        let address = String(decoding: question[3], as: UTF8.self)
        guard let name = gate.judge(CurveKey(bytes: question[6]), address: address) else {
            onRefusal()
            return reply("400", "this key is not on the list")
        }
        return reply("200", "welcome", user: name)
    }
}
