import ArgumentParser
import Bus
import Foundation
import Protocols
import Synchronization

/// What `hz` and `bw` have in common: a topic, and how long to listen.
struct MeasureOptions: ParsableArguments {
    @Argument(help: "As bio/heart-rate/me, bio/heart-rate or bio/.") var topic: String
    @Option(help: "End after so many seconds (default: at Ctrl-C).") var seconds: Double?
    @Option(help: "Messages that the figures are of.") var window = 1000

    func validate() throws {
        if let seconds, !(seconds > 0 && seconds <= 86400) {
            throw ValidationError("--seconds \(seconds): must be above 0")
        }
        if window < 2 { throw ValidationError("--window \(window): must be at least 2") }
        _ = try TailCommand.subscription(topic)
    }

    var subscriptions: [String] { (try? TailCommand.subscription(topic)).map { [$0] } ?? [] }

    /// Listens, and shows what was measured once a second and at the end.
    ///
    /// - Throws: ``CommandFailure`` with status 1 when nothing came at all.
    func measure(
        in household: any Household, on terminal: Terminal, json: Bool,
        line: @escaping @Sendable (RateMeter.Summary) -> String
    ) async throws {
        let meters = Meters()
        let (topic, window, listener, seconds) = (topic, window, household.listener, seconds)
        let show: @Sendable () throws -> Void = {
            let summaries = meters.byTopic.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value.summary)
            if summaries.isEmpty { terminal.note("no message yet") }
            for summary in summaries {
                terminal.print(json ? try Terminal.json(summary, pretty: false) : line(summary))
            }
        }
        try await untilInterrupted {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await event in household.events {
                        guard case .message(let message) = event, !message.header.flags.contains(.snapshot),
                            TailCommand.isWanted(message.topic, topic, listener)
                        else { continue }
                        let bytes = message.topic.utf8.count + 1 + Header.byteCount + message.body.count
                        let ns = Moment.read().monotonicNs
                        meters.byTopic.withLock {
                            $0[message.topic, default: RateMeter(topic: message.topic, window: window)]
                                .add(ns: ns, bytes: bytes)
                        }
                    }
                }
                group.addTask {
                    let clock = ContinuousClock()
                    let end = seconds.map { clock.now + .seconds($0) }
                    while !Task.isCancelled, end.map({ clock.now < $0 }) ?? true {
                        let step = end.map { min($0 - clock.now, .seconds(1)) } ?? .seconds(1)
                        try await Task.sleep(for: step)
                        if end.map({ clock.now < $0 }) ?? true { try show() }
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        try show()
        if meters.byTopic.withLock({ $0.isEmpty }) {
            throw CommandFailure(
                .finding, "no message on \(topic)", cure: "who should send it: resonance info \(topic)")
        }
    }
}

struct HzCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "hz", abstract: "Measure how often a topic comes, and how evenly.",
        discussion: """
            Once a second: messages per second, the shortest and longest time between two of them, and its standard
            deviation. Ends with 1 when nothing came.

            Example: resonance hz bio/heart-rate --seconds 10
            """)

    @OptionGroup var measured: MeasureOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    var subscriptions: [String] { measured.subscriptions }

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await measured.measure(in: household, on: terminal, json: output.json) { Self.line($0) }
    }

    static func line(_ summary: RateMeter.Summary) -> String {
        guard let hz = summary.hz else { return "\(summary.topic)  \(Wording.count(summary.messages, "message"))" }
        func ms(_ seconds: Double?) -> String { Wording.decimal(seconds.map { $0 * 1000 }, 1) }
        return "\(summary.topic)  \(Wording.decimal(hz, 2)) Hz  gaps \(ms(summary.minSeconds)) … "
            + "\(ms(summary.maxSeconds)) ms, deviation \(ms(summary.deviationSeconds)) ms  "
            + Wording.count(summary.messages, "message")
    }
}

struct BandwidthCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "bw", abstract: "Measure how many bytes a second a topic takes.",
        discussion: """
            Once a second: bytes per second on the wire, and the smallest, mean and largest message. Ends with 1 when
            nothing came.

            Example: resonance bw sys/ --seconds 10
            """)

    @OptionGroup var measured: MeasureOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    var subscriptions: [String] { measured.subscriptions }

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await measured.measure(in: household, on: terminal, json: output.json) { Self.line($0) }
    }

    static func line(_ summary: RateMeter.Summary) -> String {
        let rate = summary.bytesPerSecond.map { "\(Wording.bytes(Int64($0)))/s" } ?? "–"
        func size(_ bytes: Int?) -> String { bytes.map { Wording.bytes(Int64($0)) } ?? "–" }
        return "\(summary.topic)  \(rate)  \(size(summary.minBytes)) … \(size(summary.maxBytes)), mean "
            + "\(size(summary.meanBytes.map { Int($0) }))  \(Wording.count(summary.messages, "message"))"
    }
}

/// The rates of all topics that are listened to.
private final class Meters: Sendable {
    let byTopic = Mutex<[String: RateMeter]>([:])
}
