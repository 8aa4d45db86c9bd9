import CZeroMQ
import Synchronization

/// Tells what becomes of the connections of one socket.
struct SocketMonitor: ~Copyable {
    enum Event: Equatable, Sendable {
        case up
        /// The connection is gone, or could not be made.
        case down
        case refused(HandshakeFailure)
    }

    private static let numbers = Atomic<UInt64>(0)
    private static let events =
        ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED
        | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH

    private let socket: ZMQSocket

    /// - Parameter watched: before it binds or connects.
    init(_ watched: borrowing ZMQSocket, _ context: ZMQContext) throws(BusError) {
        let endpoint = "inproc://monitor-\(Self.numbers.add(1, ordering: .relaxed).newValue)"
        guard zmq_socket_monitor(watched.raw, endpoint, Self.events) == 0 else { throw zmqError("zmq_socket_monitor") }
        let listener = try ZMQSocket(context, ZMQ_PAIR)
        try listener.connect(endpoint)
        socket = listener
    }

    /// Before the watched socket and the monitor are closed, when their context lives on.
    static func stop(_ watched: borrowing ZMQSocket) { zmq_socket_monitor(watched.raw, nil, 0) }

    var pollItem: ZMQPollItem { socket.pollItem(ZMQ_POLLIN) }

    /// The next event with the address of the other side; nil = nothing waits.
    func next() -> (event: Event, address: String)? {
        while true {
            var kind: UInt16 = 0
            var value: UInt32 = 0
            var address = ""
            let count = socket.receive { number, bytes in
                if number == 0, bytes.count >= 6 {
                    kind = bytes.loadUnaligned(as: UInt16.self)
                    value = bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self)
                } else if number == 1 {
                    address = String(decoding: bytes, as: UTF8.self)
                }
            }
            guard count > 0 else { return nil }
            switch Int32(kind) {
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return (.up, address)
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return (.refused(.notListed(status: value)), address)
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: return (.refused(.protocol(code: value)), address)
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return (.refused(.noDetail), address)
            case ZMQ_EVENT_DISCONNECTED, ZMQ_EVENT_CLOSED: return (.down, address)
            default: continue
            }
        }
    }
}

/// Why two sides did not come together.
enum HandshakeFailure: Hashable, Sendable {
    /// The hub knows the key, or none, and says no; the status is that of ZAP.
    case notListed(status: UInt32)
    /// What came is not what CURVE expects: an unfit server key, or no CURVE at all.
    case `protocol`(code: UInt32)
    /// The other side hung up without a word.
    case noDetail

    /// libzmq gives up a connection after these, where it tries again after a mere break.
    var endsConnection: Bool { self != .noDetail }

    /// For the one who wanted in.
    func reason(at address: String) -> String {
        switch self {
        case .notListed:
            "handshake refused by \(address): this key is not on the hub's list: run `resonance pair` there"
        case .protocol:
            "handshake with \(address) failed: no CURVE on the other side; is it the hub's address?"
        case .noDetail:
            "handshake refused by \(address): wrong server key, or no hub with CURVE there; pair again if the hub has "
                + "new keys"
        }
    }
}

/// Tells a refusal from a connection that broke in the wrong moment.
struct HandshakeTrouble: Sendable {
    /// After a refusal: the key may be put on the list meanwhile.
    static let retryNs: Int64 = 500_000_000
    /// libzmq tries again every 10 to 500 ms: so many in a row are no accident.
    static let silentLimit = 3

    private var silent = 0

    mutating func isWorthTelling(_ failure: HandshakeFailure) -> Bool {
        guard failure == .noDetail else { return true }
        silent += 1
        return silent >= Self.silentLimit
    }
}
