import Foundation
import Glibc
import Synchronization
import Testing

@testable import HubService

/// The endpoint on a real Unix socket, with clients of every kind.
@Suite(.timeLimit(.minutes(1)))
struct MetricsServerTests {
    private static func withServer(_ body: (String) async throws -> Void) async throws {
        let path = "/tmp/rsn-m-\(UInt32.random(in: 0...UInt32.max))"
        let server = try MetricsServer(path: path, address: nil) { MetricsPage(figures: nil, usage: [], nowNs: 0) }
        server.start()
        do {
            try await body(path)
        } catch {
            server.stop()
            throw error
        }
        server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// A client that blocks; used on a thread of its own.
    private static func connect(_ path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map { Glibc.connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self), size) } ?? -1
        }
        return result == 0 ? descriptor : -1
    }

    /// Sends bytes and reads until the other side ends.
    private static func exchange(_ path: String, _ bytes: [UInt8], pieces: Int? = nil) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let descriptor = connect(path)
                for start in stride(from: 0, to: bytes.count, by: pieces ?? max(1, bytes.count)) {
                    let piece = Array(bytes[start..<min(bytes.count, start + (pieces ?? bytes.count))])
                    _ = send(descriptor, piece, piece.count, Int32(MSG_NOSIGNAL))
                }
                var answer: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 1024)
                while true {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    if count <= 0 { break }
                    answer += buffer[..<count]
                }
                close(descriptor)
                continuation.resume(returning: String(decoding: answer, as: UTF8.self))
            }
        }
    }

    private static let question = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)

    @Test func `answers a client that sends byte by byte like one that sends at once`() async throws {
        try await Self.withServer { path in
            #expect(await Self.exchange(path, Self.question).hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(await Self.exchange(path, Self.question, pieces: 1).hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `silent clients do not keep others from their answer, also when there are more than it takes`()
        async throws
    {
        try await Self.withServer { path in
            let silent = (0..<MetricsServer.connectionLimit - 1).map { _ in Self.connect(path) }
            #expect(silent.allSatisfy { $0 >= 0 })
            #expect(await Self.exchange(path, Self.question).hasPrefix("HTTP/1.1 200 OK\r\n"))
            // One more: the next waits until the patience with the silent ones is over.
            let last = [Self.connect(path), Self.connect(path)]
            #expect(await Self.exchange(path, Self.question).hasPrefix("HTTP/1.1 200 OK\r\n"))
            for descriptor in silent + last { close(descriptor) }
        }
    }

    @Test func `garbage of any kind gets a refusal or an end, and the next client its answer`() async throws {
        try await Self.withServer { path in
            var random = SystemRandomNumberGenerator()
            for size in [1, 10, 100, 5000, 60_000] {
                let garbage = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) } + Array("\n\n".utf8)
                let answer = await Self.exchange(path, garbage)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(size)")
            }
            #expect(await Self.exchange(path, Self.question).hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }
}
