import Protocols
import Synchronization

/// What a peer has done since its start, for operators.
package struct PeerFigures: Sendable {
    package var sent: ClassCounts
    package var received: ClassCounts
    /// Messages lost at this process, by cause.
    package var drops: [String: UInt64]
    /// Messages that wait, by queue.
    package var queueDepths: [String: Int]
    /// The latest wait of the main loop, milliseconds.
    package var loopLagMs: Double
}

extension BusPeer {
    package var figures: PeerFigures {
        let depths = ["inbox": inbox.count, "outgoing": transport.backlog, "outbox": outbox.count]
        return core.withLock { core in
            PeerFigures(
                sent: core.sent, received: core.received, drops: core.drops, queueDepths: depths,
                loopLagMs: progress.lagMs)
        }
    }

    /// Says figures on `sys/metrics/<process>`, at the pace of the machine also in virtual time. Lost when the hub is
    /// away: the next ones replace them.
    package func say(_ samples: [ProcessMetrics.Sample]) {
        let topic = Registry.metrics(identity.name.rawValue)
        guard let body = try? MessageCoding.encode(ProcessMetrics(process: identity.name, samples: samples)) else {
            return
        }
        let now = Moment.read()
        act { core in
            guard core.isWelcome else { return }
            core.send(core.prepare(body, spec: topic.spec, topic: topic.name, flags: [], now: now, realTime: true))
        }
    }
}
