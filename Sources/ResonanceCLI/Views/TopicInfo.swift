import Protocols

/// What is known of one topic.
struct TopicInfo: Encodable, Equatable {
    var topic: String
    var `class`: String
    var type: String
    var schema: String
    var summary: String
    var owner: String
    /// Who may publish; empty = anybody.
    var publishers: [String]
    /// Who must acknowledge.
    var consumers: [String]
    var periodSeconds: Double?
    var ttlSeconds: Double?
    var depth: Int
    var recorded: Bool
    /// The process that sent it last, as far as the hub has heard it.
    var publisher: String?
    var publisherRunning: Bool?
    /// Seconds since the last message.
    var ageSeconds: Double?
    /// In time by the registry; absent without a period.
    var alive: Bool?
    var lastSequence: UInt64?
    /// Bytes of the value that the hub keeps; absent when it keeps none.
    var keptBytes: Int?

    init(name: String, spec: TopicSpec, table: ProcessTable, kept: Retained?) {
        topic = name
        `class` = "\(spec.deliveryClass)"
        type = spec.type
        schema = spec.schema.description
        summary = spec.summary
        owner = spec.owner.rawValue
        publishers = spec.publishers.map(\.rawValue)
        consumers = spec.consumers.map(\.rawValue)
        periodSeconds = spec.period
        ttlSeconds = spec.ttl
        depth = spec.depth
        recorded = spec.recorded
        for row in table.processes {
            guard let health = row.topics.first(where: { $0.topic == name }) else { continue }
            // A row that has never sent it stands for who should.
            if publisher == nil || row.running {
                publisher = row.process.rawValue
                publisherRunning = row.running
                ageSeconds = health.silentSeconds
                alive = health.alive
            }
        }
        lastSequence = kept?.sequence
        keptBytes = kept?.json.utf8.count
    }

    var lines: [String] {
        func list(_ names: [String], _ none: String) -> String { names.isEmpty ? none : names.joined(separator: ", ") }
        var rows: [(String, String)] = [
            ("topic", topic), ("what", summary), ("class", `class`), ("type", "\(type) \(schema)"),
            ("may send", list(publishers, "anybody")), ("acknowledged by", list(consumers, "–")),
            ("expected", periodSeconds.map { "every \(Wording.age($0))" } ?? "on change"),
            ("time to live", ttlSeconds.map { Wording.age($0) } ?? "–"), ("depth", "\(depth)"),
            ("recorded", recorded ? "yes" : "no"),
        ]
        rows.append(
            ("sent by", publisher.map { "\($0)\(publisherRunning == false ? ", which has stopped" : "")" } ?? "nobody"))
        rows.append(("last message", ageSeconds.map { "\(Wording.age($0)) ago" } ?? "–"))
        rows.append(("last sequence", lastSequence.map { "\($0)" } ?? "–"))
        rows.append(("health", alive.map { $0 ? "in time" : "silent" } ?? "–"))
        rows.append(("kept value", keptBytes.map { Wording.bytes(Int64($0)) } ?? "–"))
        rows.append(("subscribers", "unknown to the hub: ZeroMQ tells topics, not names"))
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { "\(Wording.pad($0.0, to: width))  \($0.1)" }
    }
}
