import CZeroMQ
import Foundation
import Protocols

/// A ZeroMQ context: the only ZeroMQ object that may be used from several threads.
final class ZMQContext: Sendable {
    // Set once; zmq_ctx_* are thread-safe.
    nonisolated(unsafe) let raw: UnsafeMutableRawPointer

    init() throws(BusError) {
        guard let raw = zmq_ctx_new() else { throw zmqError("zmq_ctx_new") }
        self.raw = raw
    }

    /// Waits for all sockets, which hold the context: so never for long.
    deinit { zmq_ctx_term(raw) }
}

/// The newest ZeroMQ error of this thread.
func zmqError(_ operation: String) -> BusError {
    .socket(operation: operation, reason: String(cString: zmq_strerror(zmq_errno())))
}

/// What became of a message that was to be sent.
enum ZMQSendResult {
    case sent
    /// The queue is full or there is no connection: later perhaps.
    case notNow
    /// ROUTER only: nobody is at that route.
    case noRoute
}

/// One ZeroMQ socket. It can neither be copied nor sent to another thread; its end closes it.
struct ZMQSocket: ~Copyable {
    let raw: UnsafeMutableRawPointer
    private let context: ZMQContext

    init(_ context: ZMQContext, _ type: Int32) throws(BusError) {
        guard let raw = zmq_socket(context.raw, type) else { throw zmqError("zmq_socket") }
        self.raw = raw
        self.context = context
        set(ZMQ_LINGER, 0)
    }

    deinit { zmq_close(raw) }

    func set(_ option: Int32, _ value: Int32) {
        withUnsafePointer(to: value) { _ = zmq_setsockopt(raw, option, $0, MemoryLayout<Int32>.size) }
    }

    func set(_ option: Int32, long value: Int64) {
        withUnsafePointer(to: value) { _ = zmq_setsockopt(raw, option, $0, MemoryLayout<Int64>.size) }
    }

    func set(_ option: Int32, bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { zmq_setsockopt(raw, option, $0.baseAddress, $0.count) }
    }

    /// What every socket of ours has, set before it connects or binds. Sources of the figures: libzmq's own defaults
    /// notice a half-open line never and a restarted peer after up to 185 ms; these after 2.5 s and 15 ms.
    func setCommonOptions() {
        set(ZMQ_RECONNECT_IVL, 10)
        set(ZMQ_RECONNECT_IVL_MAX, 500)
        set(ZMQ_HANDSHAKE_IVL, 5000)
        set(ZMQ_IPV6, 1)
        set(ZMQ_TCP_KEEPALIVE, 1)
        set(ZMQ_TCP_KEEPALIVE_IDLE, 30)
        set(ZMQ_MAXMSGSIZE, long: Int64(maximumMessageBytes))
    }

    func bind(_ endpoint: String) throws(BusError) {
        setBeats(for: endpoint)
        guard zmq_bind(raw, endpoint) == 0 else { throw zmqError("bind \(endpoint)") }
    }

    func connect(_ endpoint: String) throws(BusError) {
        setBeats(for: endpoint)
        guard zmq_connect(raw, endpoint) == 0 else { throw zmqError("connect \(endpoint)") }
    }

    /// libzmq's own heartbeats, for the connections made from here on.
    ///
    /// Only between hosts, where a line can be half open. On one machine the beats of the bus notice who is silent, and
    /// libzmq's would cut off whoever slept (SIGSTOP, suspend) or is slow: cut off with messages waiting, libzmq ends
    /// the whole process ("Assertion failed: _input_stopped" or "!_more"; libzmq#3937, #3663, #4767).
    private func setBeats(for endpoint: String) {
        let isLocal = endpoint.hasPrefix("ipc:")
        set(ZMQ_HEARTBEAT_IVL, isLocal ? 0 : 1000)
        set(ZMQ_HEARTBEAT_TIMEOUT, isLocal ? 0 : 1500)
    }

    func pollItem(_ events: Int32) -> ZMQPollItem {
        ZMQPollItem(raw: zmq_pollitem_t(socket: raw, fd: 0, events: Int16(events), revents: 0))
    }

    /// Sends one message of up to four frames, whole or not at all.
    func send(_ message: Received, to route: Route? = nil) -> ZMQSendResult {
        if let route {
            switch send(route, more: true) {
            case .sent: break
            case let other: return other
            }
        }
        var topic = message.topic
        let topicResult = topic.withUTF8 { text in
            // Data topics end with NUL; a short stack of bytes avoids a heap allocation per message.
            withUnsafeTemporaryAllocation(byteCount: text.count + 1, alignment: 1) { buffer in
                buffer.copyMemory(from: UnsafeRawBufferPointer(text))
                buffer[text.count] = 0
                return send(UnsafeRawBufferPointer(buffer), more: true)
            }
        }
        guard case .sent = topicResult else { return topicResult }
        withUnsafeTemporaryAllocation(byteCount: Header.byteCount, alignment: 8) { buffer in
            message.header.encode(into: buffer)
            _ = send(UnsafeRawBufferPointer(buffer), more: true)
        }
        _ = message.body.withUnsafeBytes { send($0, more: false) }
        return .sent
    }

    /// Sends bare bytes as a lone or leading frame.
    func send(_ bytes: [UInt8], more: Bool) -> ZMQSendResult {
        bytes.withUnsafeBytes { send($0, more: more) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, more: Bool) -> ZMQSendResult {
        let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
        while true {
            if zmq_send(raw, bytes.baseAddress, bytes.count, flags) >= 0 { return .sent }
            switch zmq_errno() {
            case EINTR: continue
            case EHOSTUNREACH: return .noRoute
            default: return .notNow
            }
        }
    }

    /// Receives the frames of one message.
    ///
    /// - Parameter frame: called for each frame with its number; frames beyond the fourth are read and ignored.
    /// - Returns: the number of frames, or 0 when nothing waits.
    func receive(_ frame: (Int, UnsafeRawBufferPointer) -> Void) -> Int {
        var count = 0
        while true {
            var part = zmq_msg_t()
            zmq_msg_init(&part)
            defer { zmq_msg_close(&part) }
            if zmq_msg_recv(&part, raw, ZMQ_DONTWAIT) < 0 {
                if zmq_errno() == EINTR { continue }
                return 0
            }
            frame(count, UnsafeRawBufferPointer(start: zmq_msg_data(&part), count: zmq_msg_size(&part)))
            count += 1
            if zmq_msg_more(&part) == 0 { return count }
        }
    }
}

/// Largest frame that is accepted.
let maximumMessageBytes = 1 << 20

/// A socket or descriptor to wait for. Used by the one thread that owns the socket.
struct ZMQPollItem: @unchecked Sendable {
    var raw: zmq_pollitem_t
}

/// Puts the frames of one message together and judges them.
struct FrameReader {
    private var route: Route?
    private var topic: String?
    private var header: Header?
    private var body: [UInt8]?
    private var problem: String?
    private let offset: Int
    private let topics: TopicTable

    /// - Parameters:
    ///   - routed: the first frame is the route of the sender.
    ///   - topics: the topics that this socket has heard before.
    init(routed: Bool, topics: TopicTable) {
        offset = routed ? 1 : 0
        self.topics = topics
    }

    mutating func add(_ number: Int, _ bytes: UnsafeRawBufferPointer) {
        switch number - offset {
        case -1: route = Array(bytes)
        case 0: readTopic(bytes)
        case 1:
            do {
                header = try Header(bytes: bytes)
            } catch {
                problem = problem ?? "\(error)"
            }
        case 2: body = Array(bytes)
        default: problem = problem ?? "more than three frames"
        }
    }

    private mutating func readTopic(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1, bytes.count <= 256, bytes.last == 0 else {
            problem = "the first frame is no topic that ends with NUL"
            return
        }
        topic = topics.topic(bytes.dropLast())
        if topic == nil { problem = "the topic is not UTF-8" }
    }

    enum Outcome {
        case message(Received, Route?)
        case garbage(String, Route?)
    }

    func finish() -> Outcome {
        if let problem { return .garbage(problem, route) }
        guard let topic, let header, let body else { return .garbage("fewer than three frames", route) }
        return .message(Received(topic: topic, header: header, body: body), route)
    }
}
