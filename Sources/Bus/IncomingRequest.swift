import Foundation
import Protocols

/// A question that waits for its answer. Answering twice, or not at all before the deadline, does no harm.
package struct IncomingRequest: Sendable {
    package let name: String
    /// Who asks.
    package let from: String
    /// The same key means the same question: a repeated one is answered from memory by the peer.
    package let idempotencyKey: String
    package let body: [UInt8]
    private let send: @Sendable (Result<[UInt8], Refusal>) -> Void

    package init(
        name: String, from: String, idempotencyKey: String, body: [UInt8],
        send: @escaping @Sendable (Result<[UInt8], Refusal>) -> Void
    ) {
        self.name = name
        self.from = from
        self.idempotencyKey = idempotencyKey
        self.body = body
        self.send = send
    }

    /// Decodes the question, or nil when it is another one.
    ///
    /// - Throws: ``Refusal`` with code `invalid` when the name fits and the body does not.
    package func decode<Query: Request>(_ type: Query.Type) throws(Refusal) -> Query? {
        guard name == Query.name else { return nil }
        return try decodeBody(type)
    }

    /// Decodes the body whatever the name.
    package func decodeBody<Query: Message>(_ type: Query.Type) throws(Refusal) -> Query {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw Refusal(code: "invalid", message: "request \(name): \(error)")
        }
    }

    package func reply(_ reply: some Message) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            send(.success(Array(try encoder.encode(reply))))
        } catch {
            send(.failure(Refusal(code: "internal", message: "reply to \(name) could not be encoded: \(error)")))
        }
    }

    package func refuse(_ refusal: Refusal) { send(.failure(refusal)) }
}
