import CZeroMQ
import Logging
import Protocols

/// The sockets for other machines.
extension HubIO {
    private static let remoteBatchLimit = 256

    /// - Returns: true when there may be more.
    func workRemotely(_ now: Moment) -> Bool {
        guard let remote else { return false }
        if remote.reopenIfDue(nowNs: now.monotonicNs) { loop.renewItems() }
        tellRefusals(remote, now)
        guard let door = remote.door else { return false }
        watchHandshakes(door, now)
        let subscriptions = readSubscriptions(door)
        let messages = readMessages(door, now)
        return subscriptions || messages
    }

    /// Reads the list of keys. Who lost a right loses the connection with it.
    func readKeys() {
        guard let remote else { return }
        let (change, problem) = remote.reload()
        if let problem {
            logger.error(
                "nobody on another machine is let in: the list of keys is bad", metadata: ["reason": "\(problem)"])
        }
        guard change != .none else { return }
        core.setRemoteRights(remote.rights)
        logger.info("keys of other machines read", metadata: ["count": "\(remote.rights.count)"])
        guard change == .narrowed else { return }
        remote.close()
        loop.renewItems()
        core.closeRemote()
    }

    private func readMessages(_ door: RemoteDoor, _ now: Moment) -> Bool {
        for _ in 0..<Self.remoteBatchLimit {
            var reader = FrameReader(routed: true, topics: topics)
            let (count, user) = door.router.receiveNamed { reader.add($0, $1) }
            guard count > 0 else { return false }
            // Nobody vouched for it: with a dead ZAP handler that would be everybody.
            guard let user else {
                core.garbage("a message without a key", from: nil)
                continue
            }
            switch reader.finish() {
            case .message(let message, let route):
                core.receive(message, from: Route(remote: route ?? []), key: user, now: now) {
                    isReachable($0)
                }
            case .garbage(let reason, _): core.garbage(reason, from: nil)
            }
            perform()
            // The message may have closed the door.
            guard remote?.door === door else { return false }
        }
        return true
    }

    /// Puts a subscription into force as far as the rights of its key reach. To end one alone is not put into force:
    /// two may have been narrowed to the same; all end with their connection.
    private func readSubscriptions(_ door: RemoteDoor) -> Bool {
        for _ in 0..<Self.remoteBatchLimit {
            var prefix: [UInt8] = []
            let (count, user) = door.publisher.receiveNamed { if $0 == 0 { prefix = Array($1) } }
            guard count > 0 else { return false }
            guard prefix.first == 1, let user, let rights = remote?.rights[user] else { continue }
            let wanted = Array(prefix.dropFirst())
            for narrowed in rights.narrowed(wanted) { door.publisher.set(ZMQ_SUBSCRIBE, bytes: narrowed) }
            noteSync(wanted[...])
            guard remote?.door === door else { return false }
        }
        return true
    }

    private func tellRefusals(_ remote: RemoteGate, _ now: Moment) {
        let (refusals, total) = remote.gate.takeRefusals()
        guard total > 0 else { return }
        for refusal in refusals {
            core.handshakeRefused(
                "this key is not on the list", fingerprint: refusal.fingerprint, address: refusal.address, now: now)
        }
        if total > UInt64(refusals.count) { core.handshakeRefusedMore(total - UInt64(refusals.count)) }
        perform()
    }

    private func watchHandshakes(_ door: RemoteDoor, _ now: Moment) {
        while let (event, address) = door.routerMonitor.next() { note(event, address, now) }
        while let (event, address) = door.publisherMonitor.next() { note(event, address, now) }
    }

    /// Keys that are not on the list are told by the one who judges them.
    private func note(_ event: SocketMonitor.Event, _ address: String, _ now: Moment) {
        guard case .refused(let failure) = event else { return }
        let reason: String
        switch failure {
        case .notListed: return
        case .protocol: reason = "wrong server key, or no CURVE on the other side"
        case .noDetail: reason = "the other side hung up during the handshake"
        }
        core.handshakeRefused(reason, fingerprint: nil, address: address, now: now)
        perform()
    }
}
