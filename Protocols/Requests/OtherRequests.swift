/// What the context agent reads, and what was wrong with it.
package struct ContextStatus: Request {
    package typealias Reply = ContextStatusReply
    package static let target = ProcessName.context
    package static let name = "status"
    package init() {}
}

/// One source.
package struct ContextSource: Codable, Hashable, Sendable {
    package var name: String
    package var path: String?
    package var ok: Bool
    package var detail: String
    package var ageSeconds: Double?

    package init(name: String, path: String?, ok: Bool, detail: String, ageSeconds: Double?) {
        self.name = name
        self.path = path
        self.ok = ok
        self.detail = detail
        self.ageSeconds = ageSeconds
    }
}

/// The context agent's sources.
package struct ContextStatusReply: Message {
    package var sources: [ContextSource]
    package var desktop: DesktopContext?
    package var calendar: CalendarContext?

    package init(sources: [ContextSource], desktop: DesktopContext?, calendar: CalendarContext?) {
        self.sources = sources
        self.desktop = desktop
        self.calendar = calendar
    }
}

/// The last value of every state topic.
package struct HubSnapshot: Request {
    package typealias Reply = SnapshotReply
    package static let target = ProcessName.hub
    package static let name = "snapshot"
    /// Topic prefixes; empty = all.
    package var prefixes: [String]

    package init(prefixes: [String]) {
        self.prefixes = prefixes
    }
}

/// A kept value.
package struct Retained: Codable, Hashable, Sendable {
    package var topic: String
    package var epoch: UInt64
    package var sequence: UInt64
    package var schema: SchemaVersion
    package var sentAt: Timestamp
    package var json: String

    package init(topic: String, epoch: UInt64, sequence: UInt64, schema: SchemaVersion, sentAt: Timestamp, json: String)
    {
        self.topic = topic
        self.epoch = epoch
        self.sequence = sequence
        self.schema = schema
        self.sentAt = sentAt
        self.json = json
    }
}

/// Kept values up to a hub sequence.
package struct SnapshotReply: Message {
    package var hubEpoch: UInt64
    package var hubSequence: UInt64
    package var values: [Retained]

    package init(hubEpoch: UInt64, hubSequence: UInt64, values: [Retained]) {
        self.hubEpoch = hubEpoch
        self.hubSequence = hubSequence
        self.values = values
    }
}

/// Who is connected.
package struct HubPeers: Request {
    package typealias Reply = ProcessTable
    package static let target = ProcessName.hub
    package static let name = "peers"
    package init() {}
}

/// Reads the list of keys of other machines again; whoever is no longer on it is cut off before the answer.
package struct ReloadKeys: Request {
    package typealias Reply = Done
    package static let target = ProcessName.hub
    package static let name = "reload-keys"
    package init() {}
}
