import Crypto
import Foundation
import Protocols
import Store

/// Packs staged copies into one encrypted file, and reads it again before it counts as written.
package struct BackupWriter {
    /// A copy that nobody changes any more.
    package struct Source: Sendable {
        /// Its place in the archive: `data/…` or `config/…`.
        package var name: String
        package var path: String
        package var kind: BackupManifest.Kind

        package init(name: String, path: String, kind: BackupManifest.Kind) {
            self.name = name
            self.path = path
            self.kind = kind
        }
    }

    static let piece = 1 << 20

    private let recipients: [AgeRecipient]
    /// A private directory for what is unpacked to be checked; it must not exist yet.
    private let scratch: URL
    private let progress: (String) -> Void

    package init(for recipients: [AgeRecipient], scratch: URL, progress: @escaping (String) -> Void = { _ in }) {
        self.recipients = recipients
        self.scratch = scratch
        self.progress = progress
    }

    /// Writes and verifies a backup; it appears under its name only when it is whole and sound.
    ///
    /// - Parameters:
    ///   - path: of a file that does not exist yet.
    ///   - version: of Resonance.
    /// - Throws: ``BackupError``, ``AgeError/badKey(reason:)``, `StoreError/damaged` of a source; nothing is left then.
    package func write(
        _ sources: [Source], to path: String, version: String, listener: String, at: Timestamp
    ) throws -> BackupManifest {
        guard !FileManager.default.fileExists(atPath: path) else { throw BackupError.exists(path: path) }
        let files = try sources.map(Self.describe)
        let manifest = BackupManifest(version: version, createdAt: at, listener: listener, files: files)
        let partial = "\(path).partial"
        unlink(partial)
        do {
            let fileKey = try pack(sources, manifest, into: partial)
            progress("verifying …")
            try FileManager.default.createDirectory(
                at: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(at: scratch) }
            let back = try BackupReader(path: partial, fileKey: fileKey).unpack(into: scratch)
            guard back == manifest else {
                throw BackupError.damaged(path: path, reason: "what is read back is not what was written")
            }
            try Place.moveNew(partial, to: path)
            return manifest
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func describe(_ source: Source) throws -> BackupManifest.File {
        let file = try ByteFile.reading(source.path)
        var (hash, count) = (SHA256(), 0)
        while case let piece = try file.read(piece), !piece.isEmpty {
            hash.update(data: piece)
            count += piece.count
        }
        let migrations = source.kind == .database ? try DatabaseFile.check(copy: source.path) : nil
        return BackupManifest.File(
            path: source.name, bytes: count, sha256: hash.finalize().hexadecimal, kind: source.kind,
            migrations: migrations)
    }

    private func pack(_ sources: [Source], _ manifest: BackupManifest, into partial: String) throws -> SymmetricKey {
        let output = try ByteFile.creating(partial)
        var writer = try AgeWriter(for: recipients) { bytes in try output.write(bytes) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let text = try encoder.encode(manifest)
        let first = try TarEntry(name: BackupManifest.name, size: text.count)
        try writer.write(first.bytes() + text + [UInt8](repeating: 0, count: first.padding))
        for (source, described) in zip(sources, manifest.files) {
            progress("writing \(source.name) …")
            let entry = try TarEntry(name: source.name, size: described.bytes)
            try writer.write(entry.bytes())
            let file = try ByteFile.reading(source.path)
            var left = entry.size
            while left > 0 {
                let piece = try file.read(min(Self.piece, left))
                guard !piece.isEmpty else {
                    throw BackupError.cannotRead(path: source.path, reason: "it became shorter")
                }
                try writer.write(piece)
                left -= piece.count
            }
            try writer.write([UInt8](repeating: 0, count: entry.padding))
        }
        try writer.write([UInt8](repeating: 0, count: 2 * TarEntry.blockCount))
        try writer.finish()
        try output.sync()
        return writer.fileKey
    }
}

extension SHA256.Digest {
    /// 64 lower-case digits.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 2 ? digits : "0" + digits
        }.joined()
    }
}
