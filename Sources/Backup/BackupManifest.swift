import Protocols

/// What a backup holds: the first file of its archive, `manifest.json`.
package struct BackupManifest: Codable, Equatable, Sendable {
    /// One file of the backup.
    package struct File: Codable, Equatable, Sendable {
        /// Where it stands in the archive: `data/…` or `config/…`.
        package var path: String
        package var bytes: Int
        /// SHA-256 of the content, 64 lower-case hexadecimal digits.
        package var sha256: String
        package var kind: Kind
        /// Steps of migration that a database has gone through, in order.
        package var migrations: [String]?

        package init(path: String, bytes: Int, sha256: String, kind: Kind, migrations: [String]? = nil) {
            self.path = path
            self.bytes = bytes
            self.sha256 = sha256
            self.kind = kind
            self.migrations = migrations
        }
    }

    package enum Kind: String, Codable, Sendable {
        case database
        case outbox
        case configuration
        /// Anything else of the data directory.
        case other
    }

    package static let name = "manifest.json"
    package static let currentFormat = 1
    /// A longer one is no manifest.
    static let largest = 16 << 20

    /// Of the archive; a reader refuses a higher one.
    package var format: Int
    /// The version of Resonance that wrote it.
    package var version: String
    package var createdAt: Timestamp
    package var listener: String
    package var files: [File]

    package init(
        format: Int = currentFormat, version: String, createdAt: Timestamp, listener: String, files: [File]
    ) {
        self.format = format
        self.version = version
        self.createdAt = createdAt
        self.listener = listener
        self.files = files
    }
}
