import Foundation
import Protocols

/// The hub's way to other machines: who may come in, and the sockets through which they do. Used by the hub's thread.
final class RemoteGate {
    enum Change: Equatable {
        case none
        /// Somebody was added: nobody else needs to notice.
        case grown
        /// Somebody lost the key or a right: all connections are made anew.
        case narrowed
    }

    /// After a failed bind: libzmq lets go of an address a moment after its socket was closed.
    static let rebindNs: Int64 = 5_000_000

    let access: RemoteAccess
    let gate = Gate()
    let zap: ZAPHandler
    private(set) var door: RemoteDoor?
    private(set) var rights: [String: PeerRights] = [:]
    private var list = AuthorizedPeers()
    private var stamp: PrivateFile.Stamp?
    private let context: ZMQContext
    private var rebindNs: Int64 = 0

    /// Binds the addresses.
    ///
    /// - Parameter onRefusal: called on a thread of its own when somebody was sent away.
    /// - Throws: ``BusError/socket(operation:reason:)``; an unreadable list is not thrown but shuts everybody out, see
    ///   ``reload()``.
    init(_ access: RemoteAccess, onRefusal: @escaping @Sendable () -> Void) throws(BusError) {
        self.access = access
        context = try ZMQContext()
        zap = try ZAPHandler(context, gate: gate, onRefusal: onRefusal)
        zap.start()
        door = try Self.open(access, context, zap)
    }

    private static func open(
        _ access: RemoteAccess, _ context: ZMQContext, _ zap: ZAPHandler
    ) throws(BusError) -> RemoteDoor {
        let door = try RemoteDoor(access, context)
        try door.bind(access.endpoints, zap: zap)
        return door
    }

    /// Whether the file of keys is another one than that which was read last.
    var hasNewFile: Bool { PrivateFile.stamp(AuthorizedPeers.file(in: access.directory)) != stamp }

    /// Reads the list. Whoever cannot be read lets nobody in.
    ///
    /// - Returns: what changed, and why the file could not be read.
    func reload() -> (change: Change, problem: KeyFileError?) {
        stamp = PrivateFile.stamp(AuthorizedPeers.file(in: access.directory))
        var new = AuthorizedPeers()
        var problem: KeyFileError?
        do {
            new = try AuthorizedPeers.load(from: access.directory)
        } catch {
            problem = error
        }
        defer {
            list = new
            rights = Dictionary(new.peers.map { ($0.name, $0.rights) }, uniquingKeysWith: { first, _ in first })
            gate.admit(new.peers)
        }
        if new == list { return (.none, problem) }
        let stay = list.peers.allSatisfy { old in
            new.peers.contains { $0.name == old.name && $0.publicKey == old.publicKey && $0.rights == old.rights }
        }
        return (stay ? .grown : .narrowed, problem)
    }

    /// Ends all connections. ``reopenIfDue(nowNs:)`` binds the same addresses again.
    func close() { door = nil }

    /// - Returns: true when the sockets are new.
    func reopenIfDue(nowNs: Int64) -> Bool {
        guard door == nil, nowNs >= rebindNs else { return false }
        rebindNs = nowNs + Self.rebindNs
        door = try? Self.open(access, context, zap)
        return door != nil
    }

    /// When to call ``reopenIfDue(nowNs:)``, in ns since boot; nil = it is open.
    var reopenNs: Int64? { door == nil ? rebindNs : nil }
}
