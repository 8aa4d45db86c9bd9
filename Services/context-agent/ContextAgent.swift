import ArgumentParser
import ContextService
import Foundation
import Protocols
import ServiceKit

/// Tells the house about the desktop: focus mode, app, calendar, work state. Everything is read from files.
@main
struct ContextAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context-agent",
        abstract: "Reads focus mode, active app and calendar from files and says what they mean.",
        discussion: """
            Without --activitywatch it asks a local ActivityWatch at 127.0.0.1:5600. A file that breaks is reported by \
            `resonance doctor`; its last good value stays and fades.
            """)

    @Option(help: "Focus state: {\"active\": true, \"name\": \"Work\"}, a JSON-lines recording, or Assertions.json.")
    var focus: String?

    @Option(name: .customLong("activitywatch"), help: "An ActivityWatch export or bucket, JSON.")
    var activityWatch: String?

    @Option(
        name: .customLong("activitywatch-url"),
        help: "Address of ActivityWatch's REST API, asked before the file; none = never asked.")
    var activityWatchURL: String?

    @Option(help: "An .ics file, or a folder of them.")
    var calendar: String?

    @Option(help: "Rules that say which app is for what, as ActivityWatch keeps them.")
    var rules: String?

    @Option(help: "Part of a focus name that means work; may be given several times.")
    var workFocus: [String] = []

    @Option(help: "An address of yours, to see which invitations you declined; may be given several times.")
    var address: [String] = []

    @Flag(help: "Let calendar titles onto the bus.")
    var allowTitles = false

    @Option(help: "Re-date the recordings and the calendar so that they begin at this time: 2026-01-31T08:00:00Z.")
    var start: String?

    @Flag(help: "Repeat the recordings' first day every day.")
    var everyDay = false

    @OptionGroup var options: ServiceOptions

    func validate() throws {
        if let start, (try? Date.ISO8601FormatStyle().parse(start)) == nil {
            throw ValidationError("--start \(start): must be like 2026-01-31T08:00:00Z")
        }
        if start != nil, everyDay { throw ValidationError("--start and --every-day exclude each other") }
        if let activityWatchURL, activityWatchURL != "none", URL(string: activityWatchURL)?.host == nil {
            throw ValidationError("--activitywatch-url \(activityWatchURL): must be like http://127.0.0.1:5600")
        }
    }

    func run() async throws {
        let named = activityWatchURL == "none" ? nil : activityWatchURL
        let isAsked = activityWatchURL == nil && activityWatch == nil && options.clock != .bus
        let api = named ?? (isAsked ? "http://127.0.0.1:5600" : nil)
        let recording: ContextSources.RecordingTime =
            if let start { .startsAt(try Date.ISO8601FormatStyle().parse(start)) } else if everyDay { .everyDay } else {
                .same
            }
        var sources = ContextSources(
            focus: focus, activityWatch: activityWatch, activityWatchAPI: api.flatMap { URL(string: $0) },
            calendar: calendar, rules: rules, workFocusNames: workFocus,
            addresses: Set(address.map { $0.lowercased() }), allowTitles: allowTitles, recording: recording)
        sources.isActivityWatchAPIOptional = isAsked
        try await runService(.context, options) { [sources] environment in buildContext(environment, sources: sources) }
    }
}
