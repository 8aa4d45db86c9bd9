import Crypto

/// Seals or opens the chunks of one payload in order: 64 KiB each, the last one marked and possibly shorter.
///
/// The place of a chunk and whether it is the last are in its nonce, so that no chunk can be left out, moved, doubled or
/// cut off unseen (STREAM, Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO 2015).
struct AgePayload {
    static let chunkCount = 64 << 10
    static let tagCount = 16
    static let nonceCount = 16

    private let key: SymmetricKey
    private(set) var chunk = 0

    /// - Parameter nonce: 16 random bytes, stored between header and chunks.
    init(fileKey: SymmetricKey, nonce: [UInt8]) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fileKey, salt: nonce, info: Array("payload".utf8), outputByteCount: 32)
    }

    private func nonce(last: Bool) throws -> ChaChaPoly.Nonce {
        var bytes = [UInt8](repeating: 0, count: 12)
        for place in 0..<8 { bytes[10 - place] = UInt8(truncatingIfNeeded: UInt64(chunk) >> (8 * UInt64(place))) }
        bytes[11] = last ? 1 : 0
        return try ChaChaPoly.Nonce(data: bytes)
    }

    /// - Parameter plain: ``chunkCount`` bytes; fewer only in the last chunk.
    mutating func seal(_ plain: some Collection<UInt8>, last: Bool) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(Array(plain), using: key, nonce: nonce(last: last))
        chunk += 1
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// - Throws: ``AgeError``: `damaged`; `truncated` when it is a sound chunk that was never meant to be the last.
    mutating func open(_ sealed: [UInt8], last: Bool) throws(AgeError) -> [UInt8] {
        guard sealed.count >= Self.tagCount, sealed.count > Self.tagCount || (last && chunk == 0) else {
            throw last ? .truncated : .damaged(chunk: chunk)
        }
        guard let plain = attempt(sealed, last: last) else {
            if last, attempt(sealed, last: false) != nil { throw .truncated }
            // A chunk that was cut in its middle has a wrong tag and is shorter than a full one.
            throw last && sealed.count < Self.chunkCount + Self.tagCount ? .truncated : .damaged(chunk: chunk)
        }
        chunk += 1
        return plain
    }

    private func attempt(_ sealed: [UInt8], last: Bool) -> [UInt8]? {
        guard
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce(last: last), ciphertext: sealed.dropLast(Self.tagCount),
                tag: sealed.suffix(Self.tagCount)),
            let plain = try? ChaChaPoly.open(box, using: key)
        else { return nil }
        return Array(plain)
    }
}
