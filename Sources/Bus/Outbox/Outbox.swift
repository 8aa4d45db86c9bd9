import Foundation
import Protocols
import Synchronization

/// Why an event could not be kept.
package enum OutboxError: Error, Equatable, CustomStringConvertible {
    case full(events: Int, bytes: Int)
    case disk(path: String, operation: String, reason: String)
    case taken(path: String)

    package var description: String {
        switch self {
        case .full(let events, let bytes):
            "the outbox is full (\(events) events, \(bytes) bytes): the hub has not stored events for too long"
        case .disk(let path, let operation, let reason): "outbox \(path): \(operation): \(reason)"
        case .taken(let path): "outbox \(path) is in use by another process"
        }
    }
}

/// Events of this process that the hub has not stored yet.
///
/// Events are on disk (`fdatasync`) before ``append(_:)`` returns. Acknowledgements are appended without waiting for
/// the disk: losing one only means that the event is sent once more. A torn last record is cut off. Files of the time
/// when each consumer acknowledged to the sender are read as well.
package final class Outbox: Sendable {
    package struct Entry: Sendable {
        package let message: Received
        /// How often it was sent.
        package var sent: Int = 0
        package var lastSentNs: Int64 = 0
    }

    private struct State {
        var entries: [EventID: Entry] = [:]
        var order: [EventID] = []
        var openBytes = 0
        var fileBytes = 0
        var descriptor: Int32 = -1
    }

    package static let eventLimit = 100_000
    package static let byteLimit = 64 << 20
    /// The file is written anew when it is longer than this and mostly acknowledged.
    private static let compactionBytes = 1 << 20

    private let state = Mutex(State())
    private let path: String?
    private let eventLimit: Int

    /// An outbox in memory: for tools, which wait until it is empty.
    package init(eventLimit: Int = Outbox.eventLimit) {
        path = nil
        self.eventLimit = eventLimit
    }

    /// Opens or creates `directory/outbox/NAME.outbox`, mode 0600.
    ///
    /// - Throws: ``OutboxError/disk(path:operation:reason:)``, ``OutboxError/taken(path:)``.
    package init(name: ProcessName, in directory: URL, eventLimit: Int = Outbox.eventLimit) throws(OutboxError) {
        let folder = directory.appending(path: "outbox", directoryHint: .isDirectory)
        let path = folder.appending(path: "\(name).outbox").path(percentEncoded: false)
        self.path = path
        self.eventLimit = eventLimit
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .disk(path: path, operation: "create directory", reason: error.localizedDescription)
        }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, "open") }
        // A child that a dying predecessor was just starting may hold the lock until it runs its own program.
        var tries = 40
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            tries -= 1
            guard tries > 0 else {
                close(descriptor)
                throw .taken(path: path)
            }
            Thread.sleep(forTimeInterval: 0.025)
        }
        // Left by a death in the middle of a compaction.
        unlink(Self.fresh(path))
        do throws(OutboxError) {
            try load(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    private func load(_ descriptor: Int32, _ path: String) throws(OutboxError) {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: max(0, size))
        var have = 0
        while have < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: have), buffer.count - have, off_t(have))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path, "read") }
            have += count
        }
        let (records, length) = OutboxRecord.parse(bytes)
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw Self.failure(path, "cut off a torn record") }
        state.withLock { state in
            state.descriptor = descriptor
            state.fileBytes = length
            var acknowledged: [EventID: Set<ProcessName>] = [:]
            for record in records {
                switch record {
                case .event(let message): insert(message, &state)
                case .ack(let id, by: .hub): remove(id, &state)
                case .ack(let id, let consumer):
                    acknowledged[id, default: []].insert(consumer)
                    let consumers = Registry.spec(of: id.topic)?.consumers ?? []
                    if acknowledged[id]?.isSuperset(of: consumers) == true { remove(id, &state) }
                }
            }
        }
    }

    /// Keeps an event until the hub has stored it.
    ///
    /// - Throws: ``OutboxError``; the event is then not kept.
    package func append(_ message: Received) throws(OutboxError) {
        let result = state.withLock { state in
            Result { () throws(OutboxError) in
                guard state.entries.count < eventLimit, state.openBytes < Self.byteLimit else {
                    throw .full(events: state.entries.count, bytes: state.openBytes)
                }
                try write(.event(message), sync: true, &state)
                insert(message, &state)
            }
        }
        try result.get()
    }

    /// Forgets events that the hub has stored.
    package func acknowledge(_ ids: [EventID]) {
        state.withLock { state in
            for id in ids where state.entries[id] != nil {
                // If this fails, the event is sent once more after a restart, and recognised there.
                try? write(.ack(id, by: .hub), sync: false, &state)
                remove(id, &state)
            }
            compact(&state)
        }
    }

    /// Everything that is open and due, oldest first; counts it as sent.
    ///
    /// - Parameters:
    ///   - limit: at most so many.
    ///   - due: whether an entry is to be sent.
    package func take(
        limit: Int = .max, nowNs: Int64, where due: (Entry) -> Bool = { _ in true }
    ) -> [Received] {
        state.withLock { state in
            var messages: [Received] = []
            for id in state.order {
                guard messages.count < limit, let entry = state.entries[id], due(entry) else { continue }
                messages.append(entry.sent == 0 ? entry.message : entry.message.with { $0.flags.insert(.redelivered) })
                state.entries[id]?.sent += 1
                state.entries[id]?.lastSentNs = nowNs
            }
            return messages
        }
    }

    /// Counts an event as sent for the first time.
    package func markSent(_ id: EventID, nowNs: Int64) {
        state.withLock {
            $0.entries[id]?.sent += 1
            $0.entries[id]?.lastSentNs = nowNs
        }
    }

    /// Events that the hub has not stored.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Forgets everything, also on disk.
    package func removeAll() throws(OutboxError) {
        let result = state.withLock { state in
            Result { () throws(OutboxError) in
                state.entries = [:]
                state.order = []
                state.openBytes = 0
                try truncate(&state)
            }
        }
        try result.get()
    }

    private func insert(_ message: Received, _ state: inout State) {
        let id = EventID(message)
        guard state.entries[id] == nil else { return }
        state.entries[id] = Entry(message: message)
        state.order.append(id)
        state.openBytes += message.body.count + Header.byteCount
    }

    private func remove(_ id: EventID, _ state: inout State) {
        guard let entry = state.entries.removeValue(forKey: id) else { return }
        state.openBytes -= entry.message.body.count + Header.byteCount
        if state.order.count > 64, state.order.count > 2 * state.entries.count {
            state.order.removeAll { state.entries[$0] == nil }
        }
    }

    // MARK: - File

    /// Where a compaction writes before it takes the place of the old file.
    private static func fresh(_ path: String) -> String { path + ".new" }

    private static func failure(_ path: String, _ operation: String) -> OutboxError {
        .disk(path: path, operation: operation, reason: String(cString: strerror(errno)))
    }

    private func write(_ record: OutboxRecord, sync: Bool, _ state: inout State) throws(OutboxError) {
        guard let path, state.descriptor >= 0 else { return }
        let bytes = record.bytes
        do throws(OutboxError) {
            try Self.write(bytes, to: state.descriptor, at: state.fileBytes, path)
        } catch {
            ftruncate(state.descriptor, off_t(state.fileBytes))
            throw error
        }
        if sync, fdatasync(state.descriptor) != 0 { throw Self.failure(path, "sync") }
        state.fileBytes += bytes.count
    }

    private static func write(
        _ bytes: [UInt8], to descriptor: Int32, at offset: Int, _ path: String
    ) throws(OutboxError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path, "write") }
            done += count
        }
    }

    private func truncate(_ state: inout State) throws(OutboxError) {
        guard let path, state.descriptor >= 0 else { return }
        guard ftruncate(state.descriptor, 0) == 0, fdatasync(state.descriptor) == 0 else {
            throw Self.failure(path, "truncate")
        }
        state.fileBytes = 0
    }

    /// Writes the open events to a new file, when most of the old one is acknowledged.
    private func compact(_ state: inout State) {
        guard let path, state.fileBytes > Self.compactionBytes, state.openBytes * 2 < state.fileBytes else { return }
        if state.entries.isEmpty {
            // On failure the file only stays longer than needed.
            try? truncate(&state)
            return
        }
        let fresh = Self.fresh(path)
        let descriptor = open(fresh, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        var bytes: [UInt8] = []
        for id in state.order {
            guard let entry = state.entries[id] else { continue }
            bytes += OutboxRecord.event(entry.message).bytes
        }
        do throws(OutboxError) {
            try Self.write(bytes, to: descriptor, at: 0, fresh)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fdatasync(descriptor) == 0, rename(fresh, path) == 0 else {
                throw Self.failure(fresh, "replace")
            }
        } catch {
            close(descriptor)
            unlink(fresh)
            return
        }
        close(state.descriptor)
        state.descriptor = descriptor
        state.fileBytes = bytes.count
    }
}
