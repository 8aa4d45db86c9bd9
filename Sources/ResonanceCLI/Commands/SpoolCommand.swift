import ArgumentParser
import Protocols

struct SpoolCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "spool", abstract: "How full the hub's spool of events is, and whether it refuses any.",
        discussion: "Example: resonance spool")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let report = try await household.request(SpoolStatus())
        try terminal.answer(report, json: output.json) { Self.lines(report) }
    }

    static func lines(_ report: SpoolReport) -> [String] {
        var lines = [
            "\(report.events) of \(report.maxEvents) events, \(Wording.bytes(report.bytes)) of "
                + "\(Wording.bytes(report.maxBytes))" + (report.durable ? "" : ", in memory only"),
            "\(Wording.count(report.pending, "delivery", "deliveries")) owed, "
                + "\(Wording.count(report.deadLetters, "dead letter"))",
        ]
        if let refusing = report.refusing { lines.append("refuses events now: \(refusing)".printable) }
        lines += report.movedAside.map { "moved aside, unreadable: \($0)".printable }
        return lines
    }
}
