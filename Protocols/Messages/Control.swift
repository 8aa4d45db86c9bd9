/// First word of a peer to the hub, on `~hello`. Its epoch is the epoch of the header.
package struct PeerHello: Message {
    package var process: ProcessName
    /// Further names that it answers to, such as `player`.
    package var roles: [ProcessName]
    package var pid: Int32
    package var version: String
    /// True on `--clock bus`: it gets the markers of virtual time.
    package var virtualTime: Bool
    /// Last sequence sent so far on each live topic; nil = not known, as in version 1.0.
    package var sent: [String: UInt64]?
    /// How long its epoch has lasted, in ms; nil = not known, as in version 1.0.
    package var ageMs: Int64?

    package static var schema: SchemaVersion { SchemaVersion(major: 1, minor: 1) }

    package init(
        process: ProcessName, roles: [ProcessName] = [], pid: Int32, version: String, virtualTime: Bool,
        sent: [String: UInt64]? = nil, ageMs: Int64? = nil
    ) {
        self.ageMs = ageMs
        self.process = process
        self.roles = roles
        self.pid = pid
        self.version = version
        self.virtualTime = virtualTime
        self.sent = sent
    }
}

/// The hub's answer to a hello, on `~welcome`. Its epoch is the epoch of the header.
package struct HubWelcome: Message {
    package var version: String
    /// What the rights of its key let it hear, as subscriptions, `*` = everything; nil = everything, as on the hub's own
    /// machine and in version 1.0. It counts no loss of other topics.
    package var hear: [String]?

    package static var schema: SchemaVersion { SchemaVersion(major: 1, minor: 1) }

    package init(version: String, hear: [String]? = nil) {
        self.version = version
        self.hear = hear
    }
}

/// Who acknowledged an event, on `~ack/TOPIC`: epoch and sequence of the header are those of the event.
///
/// The hub says it to the sender once the event is on disk; from then on the hub answers for it.
package struct EventAck: Message {
    /// `hub`; outboxes of earlier versions also hold the names of consumers.
    package var by: [ProcessName]
    package init(by: [ProcessName]) { self.by = by }
}

/// Why an event was not taken, on `~nak/TOPIC`: epoch and sequence of the header are those of the event.
///
/// From the hub to a sender: the event is not stored. From a consumer to the hub: the event could not be handled.
package struct EventNak: Message {
    /// Stable name: `spool-full`, `spool-disk`, `spool-busy`, `unknown-topic`, `wrong-class`, `wrong-publisher`,
    /// `failed`, `not-subscribed`.
    package var reason: String
    /// From the hub: true when sending it again cannot help; the sender then gives it up, counts and logs it.
    package var final: Bool
    package init(reason: String, final: Bool = false) {
        self.reason = reason
        self.final = final
    }
}

/// For which event families a registered tool is a durable consumer, on `~consumes` from the hub.
package struct Consumption: Message {
    package var topics: [String]
    package init(topics: [String]) { self.topics = topics }
}

/// Which process sends under which epoch, on `~roster`: what the order of virtual time is made of.
package struct Roster: Message {
    package struct Entry: Codable, Hashable, Sendable {
        package var epoch: UInt64
        package var process: ProcessName
        package init(epoch: UInt64, process: ProcessName) {
            self.epoch = epoch
            self.process = process
        }
    }

    package var entries: [Entry]
    package init(entries: [Entry]) { self.entries = entries }
}
