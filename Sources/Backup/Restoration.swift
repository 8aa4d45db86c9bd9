import Foundation

/// Puts a backup back: everything is unpacked and checked beside the directories, then takes their place in one move.
package struct Restoration {
    /// What was done.
    package struct Outcome: Sendable, Equatable {
        package var manifest: BackupManifest
        /// Where the data that was there before is kept.
        package var aside: [String]
    }

    private let data: String
    /// nil = settings are left as they are.
    private let config: String?
    private let replace: Bool
    /// Ends the names of what is moved aside, such as `20260131T081500Z`.
    private let stamp: String

    package init(data: URL, config: URL?, replace: Bool, stamp: String) {
        self.data = Place.path(data)
        self.config = config.map(Place.path)
        self.replace = replace
        self.stamp = stamp
    }

    /// Names that a restoration leaves beside a directory: unfinished ones, and data from before.
    package static func isLeftover(_ name: String, of directory: String) -> Bool {
        name.hasPrefix("\(directory).restoring-") || name.hasPrefix("\(directory).before-restore-")
    }

    /// The caller has made sure that no process of Resonance runs.
    ///
    /// - Throws: ``BackupError``; the directories are then as they were.
    package func run(_ reader: BackupReader) throws(BackupError) -> Outcome {
        try refuseFull(data)
        if let config { try refuseFull(config) }
        let staging = "\(data).restoring-\(stamp)"
        removeUnfinished()
        let folder = URL(filePath: staging, directoryHint: .isDirectory)
        try Place.makePrivate(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let manifest = try reader.unpack(into: folder)
        let restored = staging + "/data"
        try Place.makePrivate(URL(filePath: restored, directoryHint: .isDirectory))
        try syncDirectories(under: staging)

        var moves: [Move] = []
        do throws(BackupError) {
            if let config, let fresh = try stageConfiguration(from: staging + "/config", beside: config) {
                defer { try? FileManager.default.removeItem(atPath: fresh) }
                moves.append(try move(fresh, to: config))
            }
            moves.append(try move(restored, to: data))
        } catch {
            for move in moves.reversed() { undo(move) }
            throw error
        }
        // Where only locks were, if anything, nothing is worth keeping.
        for move in moves where !move.wasFull { try? FileManager.default.removeItem(atPath: move.aside) }
        return Outcome(manifest: manifest, aside: moves.filter(\.wasFull).map(\.aside))
    }

    private struct Move {
        var place: String
        var aside: String
        var wasThere: Bool
        var wasFull: Bool
    }

    private func move(_ new: String, to place: String) throws(BackupError) -> Move {
        let move = Move(
            place: place, aside: "\(place).before-restore-\(stamp)", wasThere: access(place, F_OK) == 0,
            wasFull: Self.holdsData(place))
        try Place.swap(new, into: place, aside: move.aside)
        return move
    }

    private func undo(_ move: Move) {
        try? FileManager.default.removeItem(atPath: move.place)
        if move.wasThere { rename(move.aside, move.place) }
    }

    private func refuseFull(_ place: String) throws(BackupError) {
        guard !replace, Self.holdsData(place) else { return }
        throw .notEmpty(path: place)
    }

    /// Locks and figures of processes that ran once are no data.
    static func holdsData(_ place: String) -> Bool {
        guard let walk = FileManager.default.enumerator(atPath: place) else { return access(place, F_OK) == 0 }
        while let name = walk.nextObject() as? String {
            let isFolder = walk.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
            if !isFolder, !name.hasSuffix(".lock"), !name.hasSuffix(".prom") { return true }
        }
        return false
    }

    /// Of a restoration that was killed.
    private func removeUnfinished() {
        for place in [data, config].compactMap({ $0 }) {
            let (folder, name) = (Place.parent(place), URL(filePath: place).lastPathComponent)
            for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where entry.hasPrefix("\(name).restoring-") {
                try? FileManager.default.removeItem(atPath: folder + "/" + entry)
            }
        }
    }

    /// Settings may lie on another file system, where nothing can be moved to: they are copied beside their place.
    private func stageConfiguration(from: String, beside place: String) throws(BackupError) -> String? {
        guard access(from, F_OK) == 0 else { return nil }
        let fresh = "\(place).restoring-\(stamp)"
        do {
            try Place.makePrivate(URL(filePath: Place.parent(place), directoryHint: .isDirectory))
            try FileManager.default.copyItem(atPath: from, toPath: fresh)
            guard chmod(fresh, 0o700) == 0 else { throw ByteFile.failure(fresh) }
        } catch let error as BackupError {
            throw error
        } catch {
            try? FileManager.default.removeItem(atPath: fresh)
            throw .cannotWrite(path: fresh, reason: "it cannot be copied")
        }
        return fresh
    }

    private func syncDirectories(under root: String) throws(BackupError) {
        try ByteFile.sync(directory: root)
        guard let walk = FileManager.default.enumerator(atPath: root) else { return }
        while let name = walk.nextObject() as? String {
            guard walk.fileAttributes?[.type] as? FileAttributeType == .typeDirectory else { continue }
            try ByteFile.sync(directory: root + "/" + name)
        }
    }
}
