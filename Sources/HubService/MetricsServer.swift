import CPosix
import Foundation
import Glibc
import Synchronization

/// Why figures cannot be served.
package enum MetricsServerError: Error, Equatable, CustomStringConvertible {
    case badAddress(String)
    case notLoopback(String)
    case pathTooLong(String)
    case socket(operation: String, reason: String)

    package var description: String {
        switch self {
        case .badAddress(let text): "--metrics \(text): must be 127.0.0.1:PORT"
        case .notLoopback(let text):
            "--metrics \(text): figures are served on this machine only: use 127.0.0.1:PORT"
        case .pathTooLong(let path): "\(path) is longer than 107 bytes: use a shorter runtime directory"
        case .socket(let operation, let reason): "metrics: \(operation): \(reason)"
        }
    }
}

/// Serves pages over HTTP on a Unix socket and, when asked for, on loopback TCP: one thread, few connections, short
/// requests, short patience.
///
/// A web server package would do it too, at 32 MB of resident memory; this one answers GET and nothing else.
final class MetricsServer: Sendable {
    /// Connections at a time; further ones wait in the kernel's queue.
    static let connectionLimit = 16
    /// Milliseconds that a client has for its request and the reading of the answer.
    static let patienceMs: Int64 = 5000

    private struct Connection {
        var overTCP: Bool
        var dueMs: Int64
        var input: [UInt8] = []
        var output: ArraySlice<UInt8>?
    }

    private let listeners: [(descriptor: Int32, overTCP: Bool)]
    private let wake: Int32
    private let socketPath: String
    private let page: @Sendable () -> MetricsPage
    private let ended = DispatchSemaphore(value: 0)
    private let started = Atomic<Bool>(false)

    /// Binds.
    ///
    /// - Parameters:
    ///   - path: of the Unix socket, in a directory whose hub lock is held: what is there is of a hub that ended.
    ///   - address: as `127.0.0.1:9464`; nil = no TCP.
    ///   - page: what to show, at each request.
    init(path: String, address: String?, page: @escaping @Sendable () -> MetricsPage) throws(MetricsServerError) {
        let endpoint = try address.map { text throws(MetricsServerError) in try MetricsAddress(text) }
        var open = [(try Self.listen(path: path), false)]
        do throws(MetricsServerError) {
            if let endpoint { open.append((try Self.listen(endpoint), true)) }
        } catch {
            close(open[0].0)
            throw error
        }
        wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wake >= 0 else {
            open.forEach { close($0.0) }
            throw .socket(operation: "eventfd", reason: String(cString: strerror(errno)))
        }
        listeners = open.map { (descriptor: $0.0, overTCP: $0.1) }
        socketPath = path
        self.page = page
    }

    deinit {
        for listener in listeners { close(listener.descriptor) }
        close(wake)
    }

    func start() {
        guard !started.exchange(true, ordering: .relaxed) else { return }
        let thread = Thread { [self] in
            serve()
            ended.signal()
        }
        thread.name = "metrics"
        thread.stackSize = 512 << 10
        thread.start()
    }

    /// Ends the thread and takes the socket away; returns when that is done.
    func stop() {
        guard started.load(ordering: .relaxed) else { return }
        eventfd_write(wake, 1)
        ended.wait()
        ended.signal()
        unlink(socketPath)
    }

    // MARK: - Serving

    private func serve() {
        var connections: [Int32: Connection] = [:]
        defer { connections.keys.forEach { close($0) } }
        while true {
            let isFull = connections.count >= Self.connectionLimit
            var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            if !isFull { polled += listeners.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) } }
            for (descriptor, connection) in connections {
                let events = connection.output == nil ? POLLIN : POLLOUT
                polled.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
            }
            let nowMs = Self.nowMs()
            let wait = connections.values.map(\.dueMs).min().map { max(0, $0 - nowMs) + 1 } ?? -1
            guard poll(&polled, nfds_t(polled.count), Int32(wait)) >= 0 || errno == EINTR else { return }
            if polled[0].revents != 0 { return }
            for item in polled.dropFirst() where item.revents != 0 {
                if let listener = listeners.first(where: { $0.descriptor == item.fd }) {
                    accept(listener, &connections)
                } else if connections[item.fd] != nil, !advance(item.fd, &connections) {
                    close(item.fd)
                    connections[item.fd] = nil
                }
            }
            let laterMs = Self.nowMs()
            for (descriptor, connection) in connections where connection.dueMs <= laterMs {
                close(descriptor)
                connections[descriptor] = nil
            }
        }
    }

    private func accept(_ listener: (descriptor: Int32, overTCP: Bool), _ connections: inout [Int32: Connection]) {
        while connections.count < Self.connectionLimit {
            let descriptor = Glibc.accept(listener.descriptor, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            connections[descriptor] = Connection(overTCP: listener.overTCP, dueMs: Self.nowMs() + Self.patienceMs)
        }
    }

    /// Reads or writes what is possible now.
    ///
    /// - Returns: false when the connection is over.
    private func advance(_ descriptor: Int32, _ connections: inout [Int32: Connection]) -> Bool {
        guard var connection = connections[descriptor] else { return false }
        defer { connections[descriptor] = connection }
        if connection.output == nil {
            var buffer = [UInt8](repeating: 0, count: 2048)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
            connection.input += buffer[..<count]
            let request = MetricsRequest(connection.input)
            guard request != .incomplete else { return true }
            var headOnly = false
            if case .get(_, _, let only) = request { headOnly = only }
            let response = page().response(request, overTCP: connection.overTCP)
            connection.output = response.bytes(headOnly: headOnly)[...]
        }
        while let rest = connection.output, !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return sent < 0 && (errno == EAGAIN || errno == EINTR) }
            connection.output = rest.dropFirst(sent)
        }
        shutdown(descriptor, Int32(SHUT_WR))
        return false
    }

    private static func nowMs() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    // MARK: - Binding

    private static func listen(path: String) throws(MetricsServerError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= 107 else { throw .pathTooLong(path) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        unlink(path)
        return try listen(Int32(AF_UNIX), to: &address, "bind \(path)")
    }

    private static func listen(_ endpoint: MetricsAddress) throws(MetricsServerError) -> Int32 {
        if endpoint.isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = endpoint.port.bigEndian
            inet_pton(Int32(AF_INET6), endpoint.host, &address.sin6_addr)
            return try listen(Int32(AF_INET6), to: &address, "bind [\(endpoint.host)]:\(endpoint.port)")
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = endpoint.port.bigEndian
        inet_pton(Int32(AF_INET), endpoint.host, &address.sin_addr)
        return try listen(Int32(AF_INET), to: &address, "bind \(endpoint.host):\(endpoint.port)")
    }

    private static func listen<Address>(
        _ family: Int32, to address: inout Address, _ what: String
    ) throws(MetricsServerError) -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(family, Int32(kind), 0)
        guard descriptor >= 0 else { throw .socket(operation: "socket", reason: String(cString: strerror(errno))) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let size = socklen_t(MemoryLayout<Address>.size)
        let bound = withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map { Glibc.bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), size) } ?? -1
        }
        guard bound == 0, Glibc.listen(descriptor, 16) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw .socket(operation: what, reason: reason)
        }
        return descriptor
    }
}

/// An address of this machine: `127.0.0.1:9464`, `[::1]:9464` or `localhost:9464`.
struct MetricsAddress: Equatable {
    let host: String
    let port: UInt16
    let isVersion6: Bool

    init(_ text: String) throws(MetricsServerError) {
        guard let colon = text.lastIndex(of: ":"), let number = UInt16(text[text.index(after: colon)...]), number > 0
        else { throw .badAddress(text) }
        let name = String(text[..<colon])
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if name == "[::1]" {
            (host, isVersion6) = ("::1", true)
        } else if name == "localhost" {
            (host, isVersion6) = ("127.0.0.1", false)
        } else if parts.count == 4, parts[0] == "127", parts.allSatisfy({ UInt8($0) != nil }) {
            (host, isVersion6) = (name, false)
        } else {
            throw name.isEmpty ? .badAddress(text) : .notLoopback(text)
        }
        port = number
    }
}
