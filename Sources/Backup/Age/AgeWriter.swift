import Crypto

/// Encrypts a stream of bytes into an age file.
///
///     var writer = try AgeWriter(for: [.passphrase("…")]) { bytes in try file.write(bytes) }
///     try writer.write(piece)
///     try writer.finish()
package struct AgeWriter {
    /// Opens what is written here; for checking it afterwards, since a public key alone cannot.
    let fileKey: SymmetricKey
    private var payload: AgePayload
    private var buffer: [UInt8] = []
    private let output: ([UInt8]) throws -> Void

    /// Writes the header.
    ///
    /// - Parameters:
    ///   - recipients: one passphrase, or one or more public keys.
    ///   - output: takes the bytes of the file in order.
    /// - Throws: ``AgeError/badKey(reason:)``; errors of `output`.
    package init(for recipients: [AgeRecipient], output: @escaping ([UInt8]) throws -> Void) throws {
        let hasPassphrase = recipients.contains { if case .passphrase = $0 { true } else { false } }
        guard !recipients.isEmpty, !hasPassphrase || recipients.count == 1 else {
            throw AgeError.badKey(reason: "give one passphrase, or public keys")
        }
        fileKey = SymmetricKey(size: .bits128)
        self.output = output
        var stanzas: [AgeHeader.Stanza] = []
        for recipient in recipients { stanzas.append(try AgeKeys.stanza(of: fileKey, for: recipient)) }
        let nonce = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        payload = AgePayload(fileKey: fileKey, nonce: nonce)
        try output(AgeHeader(stanzas: stanzas, fileKey: fileKey).bytes + nonce)
    }

    package mutating func write(_ bytes: some Collection<UInt8>) throws {
        buffer.append(contentsOf: bytes)
        // A full chunk waits until more follows, since the last one must not be empty.
        var start = 0
        while buffer.count - start > AgePayload.chunkCount {
            try output(payload.seal(buffer[start..<(start + AgePayload.chunkCount)], last: false))
            start += AgePayload.chunkCount
        }
        if start > 0 { buffer.removeFirst(start) }
    }

    /// Writes the last chunk; without it the file counts as cut off.
    package mutating func finish() throws {
        try output(payload.seal(buffer, last: true))
        buffer = []
    }
}
