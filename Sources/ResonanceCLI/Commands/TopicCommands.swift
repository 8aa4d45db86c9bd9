import ArgumentParser
import Bus
import Foundation
import Protocols

struct TopicsCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics", abstract: "List every topic of the bus with its contract.",
        discussion: """
            Needs no running process. Append `/` and the listener for the name on the wire: state/vector/me.

            Example: resonance topics
            """)

    @OptionGroup var output: OutputOptions

    private struct Row: Encodable {
        var `class`: String
        var consumers: [String]
        var depth: Int
        var family: String
        var owner: String
        var periodSeconds: Double?
        var publishers: [String]
        var recorded: Bool
        var schema: String
        var summary: String
        var ttlSeconds: Double?
        var type: String
    }

    func run(on terminal: Terminal) async throws {
        let rows = Registry.all.map { spec in
            Row(
                class: "\(spec.deliveryClass)", consumers: spec.consumers.map(\.rawValue), depth: spec.depth,
                family: spec.family, owner: spec.owner.rawValue, periodSeconds: spec.period,
                publishers: spec.publishers.map(\.rawValue), recorded: spec.recorded,
                schema: spec.schema.description, summary: spec.summary, ttlSeconds: spec.ttl, type: spec.type)
        }
        try terminal.answer(rows, json: output.json) {
            var table = TextTable([
                .word("topic"), .word("class"), .word("from"), .figure("every"), .figure("TTL"), .word("type"),
                .word("version"), .text("what"),
            ])
            for row in rows {
                let from = row.publishers.isEmpty ? "any" : row.publishers.joined(separator: ", ")
                table.add(
                    row.family, row.class, from, row.periodSeconds.map { Wording.age($0) } ?? "change",
                    row.ttlSeconds.map { Wording.age($0) } ?? "–", row.type, row.schema, row.summary)
            }
            return table.lines(width: terminal.width, style: terminal.style)
        }
    }
}

struct TailCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Print the messages of a topic as JSON, one per line, until Ctrl-C.",
        discussion: """
            TOPIC is a full name, a family (of your listener), or a prefix that ends in /. A kept value comes first.

            Example: resonance tail state/vector
            Example: resonance tail bio/ --count 10
            Example: resonance tail music/now --body | jq .song.title
            """)

    @Argument(help: "As bio/heart-rate/me, bio/heart-rate or bio/.") var topic: String
    @Option(help: "End after so many messages.") var count: Int?
    @Flag(help: "Only the body of each message, without topic, time and sequence.") var body = false
    @Flag(help: "Accepted for symmetry; the output is JSON always.") var json = false
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count \(count): must be at least 1") }
        _ = try Self.subscription(topic)
    }

    /// What to subscribe to for what a person typed.
    ///
    /// - Throws: an error that lists near topics when nobody agreed on such a topic.
    static func subscription(_ topic: String) throws -> String {
        if topic.hasSuffix("/") {
            if Registry.all.contains(where: { ($0.family + "/").hasPrefix(topic) }) { return topic }
        } else if Registry.all.contains(where: { $0.family == topic }) {
            return topic
        } else if let spec = Registry.spec(of: topic) {
            return spec.family
        }
        let first = topic.split(separator: "/").first.map(String.init) ?? topic
        let near = Registry.all.map(\.family).filter { $0.hasPrefix(first + "/") }
        let hint = near.isEmpty ? "see `resonance topics`" : "did you mean \(near.joined(separator: ", "))?"
        throw ValidationError("there is no topic \(topic); \(hint)")
    }

    var subscriptions: [String] { (try? Self.subscription(topic)).map { [$0] } ?? [] }

    /// One line of output.
    private struct Line: Encodable {
        var at: Timestamp
        var body: JSONValue?
        var `class`: String
        var epoch: UInt64
        var kept: Bool
        var schema: String
        var sequence: UInt64
        var topic: String
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let (wanted, bare, limit, listener) = (topic, body, count, household.listener)
        try await untilInterrupted {
            var printed = 0
            for await event in household.events {
                guard case .message(let message) = event, Self.isWanted(message.topic, wanted, listener) else {
                    continue
                }
                terminal.print(try Self.line(message, bare: bare))
                printed += 1
                if printed == limit { break }
            }
        }
    }

    /// Families with one topic per listener; of the others every instance is wanted.
    private static let personal = ["bio/", "input/", "context/", "body/", "state/", "music/"]

    /// True for the very topic, below a prefix, and in a family when it is about the listener.
    static func isWanted(_ topic: String, _ wanted: String, _ listener: String) -> Bool {
        if wanted.hasSuffix("/") { return topic.hasPrefix(wanted) }
        if topic == wanted { return true }
        guard TopicSpec.family(of: topic) == wanted else { return false }
        return topic == "\(wanted)/\(listener)" || !personal.contains { wanted.hasPrefix($0) }
    }

    static func line(_ message: Received, bare: Bool) throws -> String {
        let body = message.isTombstone ? nil : try JSONDecoder().decode(JSONValue.self, from: Data(message.body))
        if bare { return try Terminal.json(body ?? .null, pretty: false) }
        let header = message.header
        return try Terminal.json(
            Line(
                at: Timestamp(milliseconds: header.wallNs / 1_000_000), body: body, class: "\(header.deliveryClass)",
                epoch: header.epoch, kept: header.flags.contains(.snapshot), schema: header.schema.description,
                sequence: header.sequence, topic: message.topic), pretty: false)
    }
}
