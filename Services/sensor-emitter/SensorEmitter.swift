import ArgumentParser
import Formats
import Foundation
import Protocols
import SensorService
import ServiceKit

/// Stands for the watch: senses, shows what plays, and passes on what its wearer wants.
@main
struct SensorEmitter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensor-emitter", abstract: "Tells heart rate, beats, motion, workouts and moods.",
        discussion: """
            Sources: a simulated body, or recordings (FIT activities, heart rate, motion, workout and mood CSV, text of \
            beat-to-beat intervals), several at once. With --interactive it reads commands from standard input: \
            \(WatchCommand.help).
            """)

    enum Source: String, ExpressibleByArgument, CaseIterable { case simulate, replay }

    @OptionGroup var options: ServiceOptions

    @Option(help: "Where the samples come from: simulate or replay.")
    var source = Source.simulate

    @Argument(help: "Recordings to replay.", completion: .file())
    var files: [String] = []

    @Option(help: "Replay: move the beginning of the recording to this time (RFC 3339).")
    var start: String?

    @Option(help: "Replay: leave out what was recorded before this time (RFC 3339).")
    var from: String?

    @Option(help: "Replay: leave out what was recorded at this time or later (RFC 3339).")
    var to: String?

    @Flag(help: "Replay: begin again at the end.")
    var loop = false

    @Option(help: "Simulate: a JSON plan of the day instead of an invented one.", completion: .file())
    var plan: String?

    @Flag(inversion: .prefixedNo, help: "Simulate: the body responds to the music it hears.")
    var musicEffects = true

    @Option(help: "Simulate: a features CSV of the songs; without it the librarian is asked.", completion: .file())
    var features: String?

    @Flag(help: "Simulate: write the hidden effect of every song that is heard to standard output, as JSON lines.")
    var revealEffects = false

    @Flag(help: "Write what the watch shows to standard output.")
    var show = false

    @Flag(help: "Read commands from standard input.")
    var interactive = false

    func validate() throws {
        if source == .replay, files.isEmpty { throw ValidationError("replay needs at least one recording") }
        if source == .simulate, !files.isEmpty {
            throw ValidationError("recordings are given, but the source is simulate: add --source replay")
        }
        for (name, text) in [("--start", start), ("--from", from), ("--to", to)] {
            if let text, Recording.time(text) == nil {
                throw ValidationError("\(name) \(text): write 2026-05-10T07:00:00Z")
            }
        }
    }

    func run() async throws {
        let chosen = chosenSource
        let features = features
        let interactive = interactive
        let show: (@Sendable (String) -> Void)? = show || interactive ? { @Sendable line in Self.write(line) } : nil
        let reveal: (@Sendable (HeardMusic, HiddenEffects.Effect) -> Void)? =
            revealEffects ? { @Sendable music, effect in Self.reveal(music, effect) } : nil
        try await runService(.sensor, options) { environment in
            let sensor: Watch = try buildSensor(
                environment, source: chosen, features: features, show: show, reveal: reveal)
            if interactive { Self.readCommands(for: sensor) }
            return sensor
        }
    }

    private var chosenSource: SensorSource {
        switch source {
        case .simulate: .simulate(plan: plan, effects: musicEffects)
        case .replay:
            .replay(
                files: files, startAt: start.flatMap { Recording.time($0) }, from: from.flatMap { Recording.time($0) },
                to: to.flatMap { Recording.time($0) }, loop: loop)
        }
    }

    private static func write(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    private static func reveal(_ music: HeardMusic, _ effect: HiddenEffects.Effect) {
        struct Line: Encodable {
            var songId: String
            var bpm: Double
            var stress: Double
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let line = Line(songId: music.songId, bpm: effect.bpm, stress: effect.stress)
        if let json = try? encoder.encode(line) { write(String(decoding: json, as: UTF8.self)) }
    }

    /// Blocks on standard input, so it has a thread of its own; it ends with the process or with the input.
    private static func readCommands(for sensor: Watch) {
        let (lines, sink) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(64))
        Thread.detachNewThread {
            while let line = readLine() { sink.yield(line) }
            sink.finish()
        }
        // Runs as long as the process; nothing waits for it, since input may never end.
        Task {
            for await line in lines where !line.allSatisfy(\.isWhitespace) {
                do throws(Refusal) {
                    let command = try WatchCommand(line: line)
                    await sensor.perform(command)
                } catch {
                    write(error.message)
                }
            }
        }
    }
}
