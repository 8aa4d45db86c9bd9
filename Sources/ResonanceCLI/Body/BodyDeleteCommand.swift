import ArgumentParser
import Foundation
import Protocols

struct BodyDeleteCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a stretch of what is kept about your body, on disk, too.",
        discussion: """
            Both ends must be said. Kinds: all, heartRate, variability, restingHeartRate, sleep, workouts, quantities,
            stress, journal, breathing, alerts, thresholds, context. Files that were imported may bring it back when they
            are imported again. Backups and exports that you made keep what they hold. There is no way back.

            Example: resonance body delete --from 2025-01-01 --to 2025-02-01
            Example: resonance body delete --kind journal --from 2025-01-01 --to 2026-01-01 --yes
            """)

    @Option(help: "First day or moment.") var from: MomentArgument
    @Option(help: "Day or moment at which it ends; that is not part of it any more.") var to: MomentArgument
    @Option(help: "What to delete.") var kind = "all"
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        if from.at >= to.at { throw ValidationError("--from must lie before --to") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let zone = terminal.timeZone
        let span = "\(Wording.moment(from.at, zone)) … \(Wording.moment(to.at, zone))"
        if !yes {
            let what = kind == "all" ? "everything about your body" : kind
            let question = "This deletes \(what) of \(span).\nType `yes` to go on: "
            guard terminal.ask(question)?.lowercased() == "yes" else {
                throw CommandFailure(
                    .notAllowed, "not confirmed; nothing was deleted", cure: "type `yes`, or give --yes")
            }
        }
        let deleted = try await household.request(
            DeleteBodyRange(kind: kind, from: from.at, to: to.at, confirmed: true), deadline: .seconds(120))
        try terminal.answer(deleted, json: output.json) {
            let rows = deleted.removed.sorted { $0.key < $1.key }
            guard !rows.isEmpty else { return ["Nothing was there."] }
            return rows.map { "\($0.key): \($0.value) deleted" }
        }
    }
}
