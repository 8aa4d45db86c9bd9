import ArgumentParser
import Foundation

/// Shows that the bus keeps its word while everything around it fails.
///
/// Some 1,000 messages a second of every delivery class run between processes of its own through the real hub, while a
/// seeded schedule kills, freezes and restarts them and the hub. In the end each process lays its books open, and they
/// are held against each other: events lost or handled twice, states that differ, loss that nobody counted, memory that
/// grew. Every role is a process: this program starts itself again.
@main
struct Chaos: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos", abstract: "Soak the bus while processes are killed, frozen and restarted.",
        subcommands: [RunCommand.self, PlayCommand.self], defaultSubcommand: RunCommand.self)
}

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the schedule of a seed and judge what came of it.")

    @Option(help: "Seconds of faults; some more are calm, so that everything can arrive.")
    var seconds = 60.0
    @Option(help: "Seed of the schedule: the same seed, the same faults at the same times.")
    var seed: UInt64 = 1
    @Option(help: "Messages a second, all classes together.")
    var rate = 1000.0
    @Option(help: "Write the report to this file as well (Markdown).")
    var report: String?
    @Flag(help: "Keep the directory with sockets, databases and books.")
    var keep = false
    @Flag(help: "Only print the schedule.")
    var dryRun = false

    func run() throws {
        let plan = FaultPlan(seed: seed, seconds: seconds)
        if dryRun {
            for fault in plan.faults { print(fault) }
            return
        }
        // The thread that starts a child must outlive it; this one does.
        let outcome = try Stage(plan: plan, rate: rate, keep: keep).perform()
        let text = outcome.markdown(command: "chaos run --seed \(seed) --seconds \(Int(seconds)) --rate \(Int(rate))")
        print(text)
        if let report { try Data(text.utf8).write(to: URL(filePath: report)) }
        if !outcome.isGood { throw ExitCode.failure }
    }
}

struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Be one process of the run; started by it.", shouldDisplay: false)

    @Argument var role: Role
    @Option var directory: String
    @Option var life: Int
    @Option var rate: Double

    func run() throws {
        let player = Player(
            role: role, life: life, rate: rate, directory: URL(filePath: directory, directoryHint: .isDirectory))
        Task {
            do {
                try await player.play()
                Foundation.exit(0)
            } catch {
                FileHandle.standardError.write(Data("\(role) \(life): \(error)\n".utf8))
                Foundation.exit(1)
            }
        }
        dispatchMain()
    }
}

extension Role: ExpressibleByArgument {}
