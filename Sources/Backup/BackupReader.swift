import Crypto
import Foundation
import Store

/// Opens a backup, unpacks it into a private directory and checks all of it on the way.
package struct BackupReader {
    private enum Key {
        case identity(AgeIdentity)
        case file(SymmetricKey)
    }

    private let path: String
    private let key: Key
    private let progress: (String) -> Void

    package init(path: String, identity: AgeIdentity, progress: @escaping (String) -> Void = { _ in }) {
        self.path = path
        key = .identity(identity)
        self.progress = progress
    }

    init(path: String, fileKey: SymmetricKey) {
        self.path = path
        key = .file(fileKey)
        progress = { _ in }
    }

    /// Unpacks everything: `data/…` and `config/…` below `directory`, files 0600, directories 0700.
    ///
    /// - Parameter directory: exists, is empty and private. What it holds after an error is to be deleted.
    /// - Throws: ``BackupError``: `cannotRead`, `wrongKey`, `damaged`, `newerFormat`, `newerSchema`, `unknownDatabase`,
    ///   `cannotWrite`, `diskFull`.
    package func unpack(into directory: URL) throws(BackupError) -> BackupManifest {
        do {
            return try unpackAll(directory)
        } catch let error as BackupError {
            throw error
        } catch AgeError.wrongKey {
            throw .wrongKey(path: path)
        } catch let error as StoreError {
            throw .damaged(path: path, reason: "\(error)")
        } catch {
            throw .damaged(path: path, reason: "\(error)")
        }
    }

    private func unpackAll(_ directory: URL) throws -> BackupManifest {
        let input = try ByteFile.reading(path)
        var age =
            switch key {
            case .identity(let identity): try AgeReader(identity) { count in try input.read(count) }
            case .file(let key): try AgeReader(fileKey: key) { count in try input.read(count) }
            }
        var archive = TarReader { try age.next() }
        let manifest = try readManifest(&archive)
        try KnownSchemas.check(manifest)
        for file in manifest.files {
            progress("reading \(file.path) …")
            guard let entry = try archive.nextEntry(), entry.name == file.path, entry.size == file.bytes else {
                throw damaged("\(file.path) of the manifest is not where it should be")
            }
            try unpack(file, from: &archive, into: directory)
        }
        guard try archive.nextEntry() == nil else { throw damaged("it holds a file that the manifest does not name") }
        return manifest
    }

    private func readManifest(_ archive: inout TarReader) throws -> BackupManifest {
        guard let entry = try archive.nextEntry(), entry.name == BackupManifest.name,
            entry.size <= BackupManifest.largest
        else { throw damaged("it does not begin with a manifest") }
        var text: [UInt8] = []
        while let piece = try archive.read() { text += piece }
        struct Format: Decodable { var format: Int }
        let decoder = JSONDecoder()
        guard let format = try? decoder.decode(Format.self, from: Data(text)).format else {
            throw damaged("its manifest is not JSON with a format")
        }
        guard format <= BackupManifest.currentFormat else {
            throw BackupError.newerFormat(path: path, format: format)
        }
        guard let manifest = try? decoder.decode(BackupManifest.self, from: Data(text)) else {
            throw damaged("its manifest cannot be read")
        }
        var names: Set<String> = []
        for file in manifest.files {
            guard names.insert(file.path).inserted, file.path.hasPrefix("data/") || file.path.hasPrefix("config/")
            else { throw damaged("its manifest names a file twice or in a foreign place") }
        }
        return manifest
    }

    private func unpack(_ file: BackupManifest.File, from archive: inout TarReader, into directory: URL) throws {
        let target = directory.appending(path: file.path)
        let folder = target.deletingLastPathComponent()
        try Place.makePrivate(folder)
        let path = target.path(percentEncoded: false)
        let output = try ByteFile.creating(path)
        var hash = SHA256()
        while let piece = try archive.read() {
            hash.update(data: piece)
            try output.write(piece)
        }
        try output.sync()
        guard hash.finalize().hexadecimal == file.sha256 else {
            throw damaged("\(file.path) is not what the manifest says")
        }
        guard file.kind == .database else { return }
        guard try DatabaseFile.check(copy: path) == file.migrations else {
            throw damaged("\(file.path) has other migrations than the manifest says")
        }
    }

    private func damaged(_ reason: String) -> BackupError { .damaged(path: path, reason: reason) }
}
