import Bus
import CZeroMQ
import Foundation
import Protocols

/// The yardstick: plain libzmq from Swift threads, PUB → XSUB/XPUB of `zmq_proxy` → SUB, three frames of the same sizes.
enum RawRoles {
    struct Failure: Error {}
    private static let body = [UInt8](repeating: 0x20, count: 70)
    private static let floodBody = [UInt8](repeating: 0x20, count: 256)
    private static let topic = Array("bio/heart-rate/me\0".utf8)

    struct Outcome: Sendable {
        var latencies: [Int64]
        var rate: Double
    }

    private static func socket(_ kind: Int32) throws -> UnsafeMutableRawPointer {
        guard let context = zmq_ctx_new(), let socket = zmq_socket(context, kind) else { throw Failure() }
        var none: Int32 = 0
        // No high-water mark: lossless, as the measured bus is.
        for option in [ZMQ_SNDHWM, ZMQ_RCVHWM] { zmq_setsockopt(socket, option, &none, 4) }
        return socket
    }

    static func proxy(_ directory: URL) throws {
        guard let context = zmq_ctx_new(), let input = zmq_socket(context, ZMQ_XSUB),
            let output = zmq_socket(context, ZMQ_XPUB)
        else { throw Failure() }
        var none: Int32 = 0
        for option in [ZMQ_SNDHWM, ZMQ_RCVHWM] {
            zmq_setsockopt(input, option, &none, 4)
            zmq_setsockopt(output, option, &none, 4)
        }
        let endpoints = try BusEndpoints(runtimeDirectory: directory)
        guard zmq_bind(input, endpoints.input) == 0, zmq_bind(output, endpoints.output) == 0 else { throw Failure() }
        zmq_proxy(input, output, nil)
    }

    static func publish(_ directory: URL, count: Int, paced: Bool) throws {
        let publisher = try socket(ZMQ_XPUB)
        guard zmq_connect(publisher, try BusEndpoints(runtimeDirectory: directory).input) == 0 else { throw Failure() }
        var subscription = [UInt8](repeating: 0, count: 64)
        zmq_recv(publisher, &subscription, subscription.count, 0)
        var header = [UInt8](repeating: 0, count: Header.byteCount)
        func send(_ number: Int) {
            header.withUnsafeMutableBytes {
                $0.storeBytes(of: Moment.read().monotonicNs, toByteOffset: 40, as: Int64.self)
            }
            zmq_send(publisher, topic, topic.count, ZMQ_SNDMORE)
            zmq_send(publisher, header, header.count, ZMQ_SNDMORE)
            let payload = paced ? body : floodBody
            zmq_send(publisher, payload, payload.count, 0)
        }
        if paced {
            Roles.pace(count, send)
        } else {
            for number in 0..<count { send(number) }
        }
        // Until the last message has left; the listener ends the measurement.
        sleep(2)
    }

    static func measure(_ directory: URL, count: Int, publisher role: String) async throws -> Outcome {
        let listener = try socket(ZMQ_SUB)
        zmq_setsockopt(listener, ZMQ_SUBSCRIBE, topic, topic.count)
        guard zmq_connect(listener, try BusEndpoints(runtimeDirectory: directory).output) == 0 else { throw Failure() }
        let process = try Stage.start(role, directory)
        // Owned by the one thread below from here on.
        nonisolated(unsafe) let owned = listener
        let outcome = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: receive(owned, count)) }
        }
        process.waitUntilExit()
        return outcome
    }

    private static func receive(_ listener: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        var latencies: [Int64] = []
        latencies.reserveCapacity(count)
        var buffer = [UInt8](repeating: 0, count: 4096)
        var first: Int64 = 0
        var last: Int64 = 0
        for number in 0..<count {
            zmq_recv(listener, &buffer, buffer.count, 0)
            zmq_recv(listener, &buffer, buffer.count, 0)
            let sent = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 40, as: Int64.self) }
            zmq_recv(listener, &buffer, buffer.count, 0)
            last = Moment.read().monotonicNs
            if number == 0 { first = last }
            latencies.append(last - sent)
        }
        return Outcome(latencies: latencies, rate: Double(count - 1) / (Double(last - first) / 1e9))
    }
}
