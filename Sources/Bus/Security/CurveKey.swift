import CZeroMQ
import Foundation

/// One half of a CURVE key pair: 32 bytes, as text 43 letters of base64url, which no shell takes for its own.
package struct CurveKey: Hashable, Sendable {
    package static let byteCount = 32
    package let bytes: [UInt8]

    /// - Returns: nil unless there are 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// - Returns: nil unless the text is base64url of 32 bytes.
    package init?(text: String) {
        guard text.utf8.count == 43, !text.contains("+"), !text.contains("/") else { return nil }
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/") + "="
        guard let data = Data(base64Encoded: base64) else { return nil }
        self.init(bytes: Array(data))
    }

    package var text: String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The first letters of a public key: enough for people to tell keys apart. Never for a secret one.
    package var fingerprint: String { String(text.prefix(8)) }

    /// As libzmq's key functions want it: 40 letters of Z85.
    private var z85: [CChar] {
        var text = [CChar](repeating: 0, count: 41)
        _ = bytes.withUnsafeBytes { zmq_z85_encode(&text, $0.baseAddress, Self.byteCount) }
        return text
    }

    private init?(z85: [CChar]) {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        guard zmq_z85_decode(&bytes, z85) != nil else { return nil }
        self.init(bytes: bytes)
    }

    /// The public key that belongs to a secret one.
    package static func publicKey(of secret: CurveKey) throws(BusError) -> CurveKey {
        var text = [CChar](repeating: 0, count: 41)
        guard zmq_curve_public(&text, secret.z85) == 0, let key = CurveKey(z85: text) else {
            throw zmqError("zmq_curve_public")
        }
        return key
    }

    /// A new pair from the random generator of the system.
    package static func newPair() throws(BusError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        guard zmq_curve_keypair(&publicText, &secretText) == 0, let publicKey = CurveKey(z85: publicText),
            let secretKey = CurveKey(z85: secretText)
        else { throw zmqError("zmq_curve_keypair") }
        return CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
    }
}

extension CurveKey: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = CurveKey(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a key of 43 letters")
        }
        self = key
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The two keys of one side.
package struct CurveKeyPair: Hashable, Sendable, Codable {
    package let publicKey: CurveKey
    package let secretKey: CurveKey

    package init(publicKey: CurveKey, secretKey: CurveKey) {
        self.publicKey = publicKey
        self.secretKey = secretKey
    }
}
