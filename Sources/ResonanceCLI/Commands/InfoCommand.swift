import ArgumentParser
import Bus
import Foundation
import Protocols

struct InfoCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Say everything about one topic: its contract, who sends it now, how it is.",
        discussion: """
            The contract of the registry, the process that sends it now, the last sequence, its age and health, and the
            kept value's size. Ends with 1 when it should come and does not.

            Example: resonance info bio/heart-rate
            Example: resonance info state/vector --json | jq .lastSequence
            """)

    @Argument(help: "As bio/heart-rate/me or bio/heart-rate.") var topic: String
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        _ = try TailCommand.subscription(topic)
        if topic.hasSuffix("/") { throw ValidationError("\(topic): name one topic, such as bio/heart-rate") }
    }

    let subscriptions = [Registry.heartbeat.spec.family]

    private enum CodingKeys: CodingKey { case topic, output, bus }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let name = Registry.all.contains { $0.family == topic } ? "\(topic)/\(household.listener)" : topic
        guard let spec = Registry.spec(of: name) else {
            throw CommandFailure(.finding, "there is no topic \(topic)", cure: "see `resonance topics`")
        }
        let table = try await household.request(HubPeers())
        let kept = try await household.request(HubSnapshot(prefixes: [name]))
        var info = TopicInfo(name: name, spec: spec, table: table, kept: kept.values.first { $0.topic == name })
        if let publisher = info.publisher, info.lastSequence == nil {
            // The heartbeats of a second say what was sent last.
            let beats = await household.beats(within: .milliseconds(1500)) { $0[publisher] != nil }
            info.lastSequence = beats[publisher]?.last?.beat.lastSequence[name]
        }
        try terminal.answer(info, json: output.json) { info.lines }
        if info.alive == false {
            throw CommandFailure(
                .finding, "\(name) is silent for \(Wording.age(info.ageSeconds ?? 0))", cure: "see `resonance doctor`")
        }
    }
}
