import CZeroMQ
import Foundation

/// A bare socket that can send anything, as a stranger's program would.
final class RawDealer {
    private let context: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer

    struct Failure: Error {}

    init(endpoint: String) throws {
        guard let context = zmq_ctx_new(), let socket = zmq_socket(context, ZMQ_DEALER) else { throw Failure() }
        self.context = context
        self.socket = socket
        var linger: Int32 = 0
        zmq_setsockopt(socket, ZMQ_LINGER, &linger, 4)
        guard zmq_connect(socket, endpoint) == 0 else { throw Failure() }
    }

    deinit {
        zmq_close(socket)
        zmq_ctx_term(context)
    }

    func send(_ frames: [[UInt8]]) {
        for (index, frame) in frames.enumerated() {
            _ = frame.withUnsafeBytes {
                zmq_send(socket, $0.baseAddress, $0.count, index + 1 < frames.count ? ZMQ_SNDMORE : 0)
            }
        }
    }

    /// Waits for one message.
    func receive() async throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = zmq_recv(socket, &buffer, buffer.count, ZMQ_DONTWAIT)
            guard count >= 0 else {
                try await Task.sleep(for: .milliseconds(2))
                continue
            }
            frames.append(Array(buffer[..<Int(count)]))
            var more: Int32 = 0
            var size = 4
            zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size)
            if more == 0 { return frames }
        }
    }
}
