import Foundation
import Protocols

/// A host that may come in: its public key and what it may do.
package struct AuthorizedPeer: Codable, Hashable, Sendable {
    package var name: String
    package var publicKey: CurveKey
    package var profile: RightsProfile
    package var rights: PeerRights
    package var addedAt: Timestamp

    package init(name: String, publicKey: CurveKey, profile: RightsProfile, rights: PeerRights, addedAt: Timestamp) {
        self.name = name
        self.publicKey = publicKey
        self.profile = profile
        self.rights = rights
        self.addedAt = addedAt
    }
}

/// The keys of other hosts that the hub lets in: `authorized-peers.json` in the configuration directory, mode 0600.
package struct AuthorizedPeers: Codable, Hashable, Sendable {
    package var peers: [AuthorizedPeer] = []

    package init(peers: [AuthorizedPeer] = []) { self.peers = peers }

    package static func file(in directory: URL) -> URL { directory.appending(path: "authorized-peers.json") }

    /// - Returns: nobody when there is no file.
    package static func load(from directory: URL) throws(KeyFileError) -> AuthorizedPeers {
        let url = file(in: directory)
        guard let data = try PrivateFile.read(url) else { return AuthorizedPeers() }
        do {
            return try JSONDecoder().decode(AuthorizedPeers.self, from: data)
        } catch {
            throw .bad(path: url.path(percentEncoded: false), reason: "no list of keys: \(error)")
        }
    }

    /// Adds a key; the hub notices within a second.
    package static func add(_ peer: AuthorizedPeer, in directory: URL) throws(KeyFileError) {
        guard isName(peer.name) else { throw .badName(name: peer.name) }
        try change(directory) { list throws(KeyFileError) in
            guard !list.peers.contains(where: { $0.name == peer.name }) else { throw .nameTaken(name: peer.name) }
            list.peers.append(peer)
        }
    }

    /// Takes a key out: its holder is cut off as soon as the hub has noticed.
    package static func remove(_ name: String, in directory: URL) throws(KeyFileError) {
        // Nobody was ever let in: there need not even be a directory to lock.
        guard try load(from: directory).peers.contains(where: { $0.name == name }) else {
            throw .unknownName(name: name)
        }
        try change(directory) { list throws(KeyFileError) in
            guard let index = list.peers.firstIndex(where: { $0.name == name }) else {
                throw .unknownName(name: name)
            }
            list.peers.remove(at: index)
        }
    }

    private static func change(
        _ directory: URL, _ body: (inout AuthorizedPeers) throws(KeyFileError) -> Void
    ) throws(KeyFileError) {
        try PrivateFile.locked(directory) { () throws(KeyFileError) in
            var list = try load(from: directory)
            try body(&list)
            let url = file(in: directory)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(list) else {
                throw .cannotWrite(path: url.path(percentEncoded: false), reason: "a name has no JSON")
            }
            try PrivateFile.write(data, to: url)
        }
    }

    /// Names of pairings are names on the bus, and must not stand for a process of the hub's own host.
    package static func isName(_ text: String) -> Bool {
        let own: [ProcessName] = [.hub, .sensor, .context, .librarian, .body, .brain, .player, .conductor]
        return !text.isEmpty && text.utf8.count <= 64 && !text.hasPrefix("cli-")
            && !own.contains { $0.rawValue == text }
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}

/// The hub's own keys: `hub-keys.json` in the configuration directory, mode 0600, made when they are first needed.
package enum HubKeys {
    package static func file(in directory: URL) -> URL { directory.appending(path: "hub-keys.json") }

    package static func exist(in directory: URL) -> Bool { PrivateFile.stamp(file(in: directory)) != nil }

    package static func loadOrMake(in directory: URL) throws -> CurveKeyPair {
        let url = file(in: directory)
        return try PrivateFile.locked(directory) { () throws(KeyFileError) in
            if let data = try PrivateFile.read(url) {
                do {
                    return try JSONDecoder().decode(CurveKeyPair.self, from: data)
                } catch {
                    throw .bad(path: url.path(percentEncoded: false), reason: "no pair of keys: \(error)")
                }
            }
            do {
                let pair = try CurveKey.newPair()
                try PrivateFile.write(try JSONEncoder().encode(pair), to: url)
                return pair
            } catch let error as KeyFileError {
                throw error
            } catch {
                throw .cannotWrite(path: url.path(percentEncoded: false), reason: "\(error)")
            }
        }
    }
}
