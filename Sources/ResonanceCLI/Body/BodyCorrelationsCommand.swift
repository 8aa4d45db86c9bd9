import ArgumentParser
import Protocols

struct BodyCorrelationsCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "correlations",
        abstract: "What in your journal goes together with HRV and stress, and how sure that is.",
        discussion: """
            Each row has its number of days and a 95 % interval; where the days cannot carry a claim, it says so. Going
            together is not causing.

            Example: resonance body correlations
            Example: resonance body correlations --days 365 --json
            """)

    @Option(help: ArgumentHelp("Days back from today, 14…3660.", valueName: "number")) var days = 90
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let report = try await household.request(GetCorrelations(days: days))
        try terminal.answer(report, json: output.json) {
            let told = report.rows.filter { $0.verdict != "notEnoughData" }
            let untold = report.rows.filter { $0.verdict == "notEnoughData" }
            let lines = (told + untold).map { row in
                let mark = row.verdict.hasSuffix("Together") ? "● " : "  "
                let text = mark + row.text
                return row.verdict == "notEnoughData" ? terminal.style.dim(text) : text
            }
            let notes = report.notes.flatMap { Wording.wrap($0, to: terminal.width) }
            return ["The last \(Wording.count(report.days, "day")):"] + lines + [""] + notes
        }
    }
}
