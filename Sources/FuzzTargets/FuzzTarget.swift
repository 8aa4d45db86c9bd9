import Backup
import Bus
import Foundation
import Protocols

/// What was promised about arbitrary bytes and does not hold.
package struct BrokenPromise: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// The places where bytes of others come in. Each takes any bytes, and neither crashes, hangs nor grows.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// 96 bytes of a header.
    case header
    /// The frames of one message from a socket.
    case frames
    /// The body of a message: the name of its type, a line feed, JSON.
    case json
    /// What peers do to the hub, one after the other.
    case hub
    /// The file of an outbox.
    case outbox
    /// An encrypted container.
    case backup
    /// The archive inside it.
    case archive
    /// Recordings of watches and bicycle computers.
    case fit
    /// Apple Health, TCX and GPX.
    case xml
    /// Health Auto Export.
    case export
    /// Morning logs and rides as comma-separated tables.
    case table

    /// Longer input teaches nothing more.
    package static let longest = 1 << 16

    /// - Throws: ``BrokenPromise``. Whatever the bytes do, it is not an error.
    package func run(_ bytes: [UInt8]) throws(BrokenPromise) {
        let bytes = Array(bytes.prefix(Self.longest))
        switch self {
        case .header: try UntrustedBytes.header(bytes)
        case .frames: try frames(bytes)
        case .json: try UntrustedBytes.json(bytes)
        case .hub:
            var play = HubPlay(bytes)
            try play.run()
        case .outbox: try check(UntrustedInput.outboxFile(bytes))
        case .backup: try check(UntrustedContainer.age(bytes))
        case .archive: try check(UntrustedContainer.archive(bytes))
        case .fit: try UntrustedHealth.fit(bytes)
        case .xml: try UntrustedHealth.xml(bytes)
        case .export: try UntrustedHealth.export(bytes)
        case .table: try UntrustedHealth.table(bytes)
        }
    }

    private func check(_ complaint: String?) throws(BrokenPromise) {
        if let complaint { throw BrokenPromise(complaint) }
    }

    /// The first byte says how many frames follow; each begins with two bytes of length.
    private func frames(_ bytes: [UInt8]) throws(BrokenPromise) {
        var source = ByteSource(bytes)
        let routed = source.byte() & 1 == 1
        var frames: [[UInt8]] = []
        while !source.isEmpty, frames.count < 8 {
            let count = source.number(below: 1 << 16)
            frames.append(source.take(count))
        }
        try check(UntrustedInput.frames(frames, routed: routed))
    }
}

enum UntrustedBytes {
    /// A header that is read is written back as it was, but for its unused bytes.
    static func header(_ bytes: [UInt8]) throws(BrokenPromise) {
        guard let header = try? Header(bytes: bytes) else { return }
        guard let again = try? Header(bytes: header.bytes), again == header else {
            throw BrokenPromise("a header changes when it is written and read again")
        }
    }

    private static let types = Dictionary(uniqueKeysWithValues: EveryMessage.types.map { ("\($0)", $0) })
    private static let sorted = types.sorted { $0.key < $1.key }.map(\.value)

    /// What is read can be written, and is then read as the same.
    static func json(_ bytes: [UInt8]) throws(BrokenPromise) {
        let name = bytes.prefix(40).prefix { $0 != 0x0A }
        if name.count < min(40, bytes.count), let type = types[String(decoding: name, as: UTF8.self)] {
            try body(Array(bytes.dropFirst(name.count + 1)), of: type)
        } else if let first = bytes.first {
            let type: any Message.Type = sorted[Int(first) % sorted.count]
            try body(Array(bytes.dropFirst()), of: type)
        }
    }

    private static func body<Body: Message>(_ bytes: [UInt8], of type: Body.Type) throws(BrokenPromise) {
        // Two ways to read: what one accepts, the other must accept as the same.
        let fast = Body.fromFastJSON(bytes)
        let slow = try? JSONDecoder().decode(Body.self, from: Data(bytes))
        if let fast {
            guard let slow else { throw BrokenPromise("\(type): only the fast reader accepts it") }
            guard fast == slow else { throw BrokenPromise("\(type): the two readers differ") }
        }
        guard let value = fast ?? slow else { return }
        let written: [UInt8]
        do {
            written = try MessageCoding.encode(value)
        } catch {
            throw BrokenPromise("\(type): what was read cannot be written")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let plain = try? encoder.encode(value), plain == Data(written) else {
            throw BrokenPromise("\(type): the two writers differ")
        }
        guard let again = try? MessageCoding.decode(Body.self, from: written), again == value else {
            throw BrokenPromise("\(type): what was written is not read as the same")
        }
        guard (try? MessageCoding.encode(again)) == written else {
            throw BrokenPromise("\(type): equal values give different bytes")
        }
    }
}
