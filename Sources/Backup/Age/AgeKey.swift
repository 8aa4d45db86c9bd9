import Crypto
import CryptoExtras
import Foundation

/// Who may open a file that is being written.
package enum AgeRecipient: Sendable, Equatable {
    /// Whoever knows the passphrase. `logN`: the derivation takes `2^logN` KiB of memory and as many rounds.
    case passphrase(String, logN: Int = AgeKeys.usualLogN)
    /// Whoever holds the identity to this X25519 public key of 32 bytes.
    case publicKey([UInt8])

    /// Reads `age1…`.
    ///
    /// - Throws: ``AgeError/badKey(reason:)``.
    package init(text: String) throws(AgeError) {
        guard let (name, bytes) = Bech32.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw .badKey(reason: "a letter is wrong or missing")
        }
        guard name == "age", bytes.count == 32 else { throw .badKey(reason: "a recipient begins with age1") }
        self = .publicKey(bytes)
    }
}

/// What opens a file.
package enum AgeIdentity: Sendable, Equatable {
    case passphrase(String)
    /// An X25519 secret key of 32 bytes.
    case secretKey([UInt8])

    /// A new secret key.
    package static func generate() -> AgeIdentity {
        .secretKey(Array(Curve25519.KeyAgreement.PrivateKey().rawRepresentation))
    }

    /// Reads the secret key out of an identity file as `age-keygen` writes it: `AGE-SECRET-KEY-1…` on a line, `#` begins
    /// a comment.
    ///
    /// - Throws: ``AgeError/badKey(reason:)``, which never quotes the file.
    package init(file text: String) throws(AgeError) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
        guard lines.count == 1 else { throw .badKey(reason: "the file must hold one AGE-SECRET-KEY-1… line") }
        guard let (name, bytes) = Bech32.decode(lines[0]), name == "age-secret-key-", bytes.count == 32 else {
            throw .badKey(reason: "an identity begins with AGE-SECRET-KEY-1 and ends with its check sum")
        }
        self = .secretKey(bytes)
    }

    /// The one line of an identity file, or nil for a passphrase.
    package var text: String? {
        guard case .secretKey(let bytes) = self else { return nil }
        return Bech32.encode("age-secret-key-", bytes).uppercased()
    }

    /// `age1…` of a secret key, which may be shown to anybody; nil for a passphrase.
    package var recipientText: String? {
        guard case .secretKey(let bytes) = self,
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        return Bech32.encode("age", Array(key.publicKey.rawRepresentation))
    }
}

/// How the key of a file is wrapped and unwrapped.
///
/// Source: https://age-encryption.org/v1, sections "The X25519 recipient type" and "The scrypt recipient type".
package enum AgeKeys {
    /// 256 MiB and about a second, as `age` itself chooses.
    package static let usualLogN = 18
    /// 1 GiB: a file that asks for more is refused.
    package static let largestLogN = 20
    static let fileKeyCount = 16
    private static let zeroNonce = [UInt8](repeating: 0, count: 12)

    static func stanza(of fileKey: SymmetricKey, for recipient: AgeRecipient) throws(AgeError) -> AgeHeader.Stanza {
        let plain = fileKey.withUnsafeBytes { Array($0) }
        do {
            switch recipient {
            case .passphrase(let passphrase, let logN):
                let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
                let wrap = try scrypt(passphrase, salt: salt, logN: logN)
                return AgeHeader.Stanza(
                    ["scrypt", AgeHeader.base64(salt), "\(logN)"], body: try seal(plain, wrap))
            case .publicKey(let bytes):
                let theirs = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
                let ours = Curve25519.KeyAgreement.PrivateKey()
                let share = Array(ours.publicKey.rawRepresentation)
                let wrap = derive(try ours.sharedSecretFromKeyAgreement(with: theirs), share: share, recipient: bytes)
                return AgeHeader.Stanza(["X25519", AgeHeader.base64(share)], body: try seal(plain, wrap))
            }
        } catch let error as AgeError {
            throw error
        } catch {
            throw .badKey(reason: "it cannot be used")
        }
    }

    /// - Throws: ``AgeError``: `wrongKey`, `tooExpensive`, `malformed`.
    static func fileKey(_ stanzas: [AgeHeader.Stanza], _ identity: AgeIdentity) throws(AgeError) -> SymmetricKey {
        for stanza in stanzas {
            let key: SymmetricKey? =
                switch (stanza.arguments.first, identity) {
                case ("scrypt", .passphrase(let passphrase)):
                    try unwrap(stanza, passphrase: passphrase, isAlone: stanzas.count == 1)
                case ("X25519", .secretKey(let secret)): try unwrap(stanza, secret: secret)
                default: nil
                }
            if let key { return key }
        }
        throw .wrongKey
    }

    private static func unwrap(
        _ stanza: AgeHeader.Stanza, passphrase: String, isAlone: Bool
    ) throws(AgeError) -> SymmetricKey? {
        guard isAlone, stanza.arguments.count == 3, let salt = AgeHeader.bytes(base64: stanza.arguments[1]),
            salt.count == 16, stanza.arguments[2].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            !stanza.arguments[2].hasPrefix("0"), let logN = Int(stanza.arguments[2]), logN > 0,
            stanza.body.count == fileKeyCount + 16
        else { throw .malformed(reason: "its scrypt stanza") }
        guard logN <= largestLogN else { throw .tooExpensive(logN: logN) }
        do {
            return try open(stanza.body, try scrypt(passphrase, salt: salt, logN: logN))
        } catch {
            return nil
        }
    }

    private static func unwrap(_ stanza: AgeHeader.Stanza, secret: [UInt8]) throws(AgeError) -> SymmetricKey? {
        guard stanza.arguments.count == 2, let share = AgeHeader.bytes(base64: stanza.arguments[1]),
            share.count == 32, stanza.body.count == fileKeyCount + 16
        else { throw .malformed(reason: "its X25519 stanza") }
        do {
            let ours = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)
            let theirs = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: share)
            let wrap = derive(
                try ours.sharedSecretFromKeyAgreement(with: theirs), share: share,
                recipient: Array(ours.publicKey.rawRepresentation))
            return try open(stanza.body, wrap)
        } catch {
            return nil
        }
    }

    private static func scrypt(_ passphrase: String, salt: [UInt8], logN: Int) throws -> SymmetricKey {
        guard !passphrase.isEmpty else { throw AgeError.badKey(reason: "the passphrase is empty") }
        return try KDF.Scrypt.deriveKey(
            from: Array(passphrase.utf8), salt: Array("age-encryption.org/v1/scrypt".utf8) + salt,
            outputByteCount: 32, rounds: 1 << logN, blockSize: 8, parallelism: 1)
    }

    private static func derive(_ secret: SharedSecret, share: [UInt8], recipient: [UInt8]) -> SymmetricKey {
        secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: share + recipient, sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
            outputByteCount: 32)
    }

    /// Every wrapping key is used once, so its nonce may be zero.
    private static func seal(_ plain: [UInt8], _ key: SymmetricKey) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(plain, using: key, nonce: ChaChaPoly.Nonce(data: zeroNonce))
        return Array(box.ciphertext) + Array(box.tag)
    }

    private static func open(_ body: [UInt8], _ key: SymmetricKey) throws -> SymmetricKey {
        let box = try ChaChaPoly.SealedBox(
            nonce: ChaChaPoly.Nonce(data: zeroNonce), ciphertext: body.dropLast(16), tag: body.suffix(16))
        return SymmetricKey(data: try ChaChaPoly.open(box, using: key))
    }
}
