import ArgumentParser
import BodyService
import Bus
import Foundation
import Logging
import Protocols
import Store

/// Where a command finds the body: the running process, or a database without any.
struct BodyPlace: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Work on this database without any running process; while a process has it open, that is refused.",
            valueName: "path"),
        completion: .file())
    var database: String?
    @OptionGroup(title: "Common options") var bus: BusOptions
}

/// A command about the body: through its process, or on a database of its own.
protocol BodyCommand: AsyncParsableCommand {
    var place: BodyPlace { get }
    /// Topic families that it hears while it runs; none on a database of its own.
    var subscriptions: [String] { get }
    /// True when a database that is not there yet is made.
    var makesDatabase: Bool { get }
    func run(in household: any Household, on terminal: Terminal) async throws
}

extension BodyCommand {
    var subscriptions: [String] { [] }
    var makesDatabase: Bool { false }

    func run() async throws { try await runBody() }

    /// Joins, runs, and leaves whatever happened.
    func runBody() async throws {
        let terminal = Terminal.standard()
        let household: any Household
        if let database = place.database {
            household = try LocalHousehold(database: database, make: makesDatabase, terminal.timeZone)
        } else {
            household = try await BusHousehold.join(place.bus, subscriptions: subscriptions)
        }
        do {
            try await run(in: household, on: terminal)
        } catch let refusal as Refusal where refusal.code == "unknown-process" && place.database == nil {
            await household.leave()
            throw CommandFailure(
                .unavailable, refusal.message,
                cure: "start everything with deploy/up, or work without any process: --database FILE")
        } catch {
            await household.leave()
            throw error
        }
        await household.leave()
    }
}

/// A household of one: the body alone, on a database that nobody else has open.
final class LocalHousehold: Household {
    let listener = "me"
    let events: AsyncStream<BusEvent>
    private let body: LocalBody
    private let end: AsyncStream<BusEvent>.Continuation

    /// - Throws: ``CommandFailure``: 66 when there is no such database, 75 when another process has it open, 73 when it
    ///   cannot be made, 65 when it is damaged or newer.
    init(database: String, make: Bool, _ timeZone: TimeZone) throws {
        var url = URL(filePath: (database as NSString).expandingTildeInPath).standardizedFileURL
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isDirectory)
        if exists, isDirectory.boolValue { url = url.appending(path: "body.sqlite") }
        let path = url.path(percentEncoded: false)
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        guard make || (size ?? 0) > 0 else {
            throw CommandFailure(
                .noInput, size == nil ? "\(path): no such database" : "\(path) is empty",
                cure: "make one with `resonance body import FILE --database \(database)`")
        }
        do {
            body = try LocalBody(
                database: url, timeZone: timeZone,
                logger: Logger(label: "resonance") { _ in SwiftLogNoOpLogHandler() })
        } catch let error as StoreError {
            throw Self.failure(error)
        }
        (events, end) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private static func failure(_ error: StoreError) -> CommandFailure {
        switch error {
        case .taken(let path, let pid):
            CommandFailure(
                .tryAgain, "\(path) is in use by process \(pid)",
                cure: "leave --database out to work through that process, or wait until it ends")
        case .damaged, .newerVersion: CommandFailure(.badData, "\(error)")
        default: CommandFailure(.cannotCreate, "\(error)")
        }
    }

    func request<Query: Request>(_ query: Query, deadline: Duration?) async throws(Refusal) -> Query.Reply {
        try await request(Query.target, Query.name, query, deadline: deadline)
    }

    func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration?
    ) async throws(Refusal) -> Reply {
        guard process == .body else {
            throw Refusal(code: "unavailable", message: "\(process) cannot be asked without running processes")
        }
        return try await body.request(name, query, as: Reply.self)
    }

    func leave() async {
        end.finish()
        await body.close()
    }
}

struct BodyCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "body", abstract: "Your body: battery, stress, sleep, training, journal, import.",
        discussion: """
            Every command works through the running body, or with --database FILE on a database of its own.
            What is measured stays on this machine. None of it is a diagnosis.
            """,
        subcommands: [
            BodyTodayCommand.self,
            BodyStressCommand.self,
            BodyMeasureCommand.self,
            BodySleepCommand.self,
            BodyAlertsCommand.self,
            BodyTrendsCommand.self,
            BodyBatteryCommand.self,
            BodyLoadCommand.self,
            BodyWorkoutsCommand.self,
            BodyWorkoutCommand.self,
            BodyImportCommand.self,
            BodyJournalCommand.self,
            BodyCorrelationsCommand.self,
            BodyBreatheCommand.self,
            BodyThresholdsCommand.self,
            BodySettingsCommand.self,
            BodyExportCommand.self,
            BodyReportCommand.self,
            BodyDeleteCommand.self,
        ], defaultSubcommand: BodyTodayCommand.self)
}
