/// The databases of this version of Resonance and the steps of migration that it knows, so that a backup of a newer
/// version is refused before anything is touched. A test holds it against the migrators of the processes.
package enum KnownSchemas {
    package static let migrations: [String: [String]] = [
        "library.sqlite": ["1 library", "2 imported files"],
        "body.sqlite": ["v1", "v2", "v3", "v4"],
        "brain.sqlite": ["v1", "v2", "v3"],
        "hub.sqlite": ["1 events"],
    ]

    /// - Throws: ``BackupError``: `newerSchema`, `unknownDatabase`.
    static func check(_ manifest: BackupManifest) throws(BackupError) {
        for file in manifest.files where file.kind == .database {
            let name = String(file.path.split(separator: "/").last ?? "")
            guard let known = migrations[name] else { throw .unknownDatabase(name) }
            let unknown = (file.migrations ?? []).filter { !known.contains($0) }
            guard unknown.isEmpty else { throw .newerSchema(database: name, migrations: unknown) }
        }
    }
}
