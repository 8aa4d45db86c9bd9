import Foundation
import Protocols

/// JSON of the wire: keys sorted, so that equal values give equal bytes.
package enum MessageCoding {
    /// Encodes a body.
    ///
    /// - Throws: `EncodingError` when the value has no JSON, such as a number that is not finite.
    package static func encode(_ body: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(body))
    }

    /// Encodes a message, a hot one by hand.
    ///
    /// - Throws: `EncodingError` as above.
    package static func encode(_ message: some Message) throws -> [UInt8] {
        if let bytes = message.fastJSON() { return bytes }
        return try encodeCodable(message)
    }

    private static func encodeCodable(_ body: some Encodable) throws -> [UInt8] { try encode(body) }

    /// Decodes a message, a hot one by hand; unknown keys are ignored.
    package static func decode<Body: Message>(_ type: Body.Type, from bytes: [UInt8]) throws -> Body {
        if let message = Body.fromFastJSON(bytes) { return message }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Decodes a body; unknown keys are ignored.
    package static func decode<Body: Decodable>(_ type: Body.Type, from bytes: [UInt8]) throws -> Body {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// The outcome of a request as its asker wants it: the reply, or the refusal that came instead.
    package static func outcome<Reply: Message>(
        of result: Result<[UInt8], Refusal>, as type: Reply.Type
    ) -> Result<Reply, Refusal> {
        switch result {
        case .failure(let refusal): return .failure(refusal)
        case .success(let bytes):
            do {
                return .success(try decode(type, from: bytes))
            } catch {
                return .failure(Refusal(code: "invalid", message: "the reply is not a \(type): \(error)"))
            }
        }
    }
}

/// Why a message that arrived cannot be read.
package enum ReceivedError: Error, Equatable, CustomStringConvertible {
    case newerMajor(topic: String, got: SchemaVersion, readable: SchemaVersion)
    case tombstone(topic: String)
    case unreadable(topic: String, reason: String)

    package var description: String {
        switch self {
        case .newerMajor(let topic, let got, let readable):
            "\(topic) is of version \(got), this reader knows \(readable): update this program"
        case .tombstone(let topic): "\(topic) was deleted, there is no body"
        case .unreadable(let topic, let reason): "\(topic): \(reason)"
        }
    }
}

extension Received {
    /// True when the message belongs to a family of the registry.
    package func isOf<Body: Message>(_ family: TopicFamily<Body>) -> Bool {
        TopicSpec.family(of: topic) == family.spec.family
    }

    /// The body of a message of this family, or nil when it is of another family or a tombstone.
    ///
    /// - Throws: ``ReceivedError/newerMajor(topic:got:readable:)``, ``ReceivedError/unreadable(topic:reason:)``.
    package func decode<Body: Message>(_ family: TopicFamily<Body>) throws(ReceivedError) -> Body? {
        guard isOf(family), !isTombstone else { return nil }
        return try decodeBody(Body.self)
    }

    /// The body, whatever the topic.
    ///
    /// - Throws: ``ReceivedError``.
    package func decodeBody<Body: Message>(_ type: Body.Type) throws(ReceivedError) -> Body {
        guard !isTombstone else { throw .tombstone(topic: topic) }
        guard header.schema.major == Body.schema.major else {
            throw .newerMajor(topic: topic, got: header.schema, readable: Body.schema)
        }
        do {
            return try MessageCoding.decode(type, from: body)
        } catch {
            throw .unreadable(topic: topic, reason: "\(error)")
        }
    }

    /// When it was sent, by the sender's clock (virtual in virtual time).
    package var sentAt: Timestamp { Timestamp(milliseconds: header.wallNs / 1_000_000) }
}
