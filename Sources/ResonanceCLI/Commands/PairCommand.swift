import ArgumentParser
import Bus
import Foundation
import Protocols
import ServiceKit

struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Let another machine in: makes its key and prints the one line it needs.",
        discussion: """
            At the hub, which must listen there (`hub --listen`): puts a new key on the list and prints one line, which
            holds the secret of that key and is not kept here. On the other machine: --accept stores the line, and every
            process there finds the hub by it.

            A watch may tell what it senses and steer the playback. A reader hears the music and the processes. full
            may do everything. With --publish, --hear and --ask the rights are named one by one; see docs/remote.md.

            Example: resonance pair wrist --address 192.168.1.20:7600 --file wrist.pairing
            Example: resonance pair wall --profile reader --hear music/ --hear state/vector --address 192.168.1.20:7600
            Example: resonance pair --accept @wrist.pairing
            Example: resonance pair --list
            """)

    @Argument(help: "A name for the other machine: lower-case letters, digits and '-'.") var name: String?
    @Option(help: ArgumentHelp("Where that machine reaches the hub.", valueName: "host:port")) var address: String?
    @Option(help: "What it may do: watch, reader or full.") var profile: RightsProfile = .watch
    @Option(help: ArgumentHelp("Instead of the profile's: topics it may publish.", valueName: "topic"))
    var publish: [String] = []
    @Option(help: ArgumentHelp("Instead of the profile's: topics it may hear.", valueName: "topic"))
    var hear: [String] = []
    @Option(help: ArgumentHelp("Instead of the profile's: requests it may make.", valueName: "process/name"))
    var ask: [String] = []
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Instead of the profile's: processes it may be.", valueName: "process"))
    var processes: [String] = []
    @Option(
        help: "Write the line into this new file, for its owner alone, instead of printing it.", completion: .file())
    var file: String?
    @Option(help: "On the other machine: the line, @FILE that holds it, or - to read it from standard input.")
    var accept: String?
    @Flag(help: "List who is let in.") var list = false
    @Flag(help: "On the other machine: show which hub it is paired with.") var show = false
    @Flag(help: "On the other machine: forget the hub.") var forget = false
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        let modes = [name != nil, accept != nil, list, show, forget].filter(\.self).count
        guard modes == 1 else {
            throw ValidationError("give a name, or one of --accept, --list, --show and --forget")
        }
        if let name {
            guard AuthorizedPeers.isName(name) else { throw ValidationError("\(KeyFileError.badName(name: name))") }
            guard let address, (try? BusEndpoints.isLoopback(address: address)) != nil else {
                throw ValidationError("--address HOST:PORT: say where the other machine reaches the hub")
            }
        }
    }

    func run() async throws {
        let terminal = Terminal.standard()
        let config = bus.directories.config
        do {
            if let name {
                try await pair(name, config, terminal)
            } else if let accept {
                try take(accept, config, terminal)
            } else if list {
                try tell(try AuthorizedPeers.load(from: config), terminal)
            } else if show {
                try tell(try Pairing.load(from: Pairing.file(in: config)), terminal)
            } else {
                guard try Pairing.forget(in: config) else { throw Self.unpaired }
                try terminal.answer(Done(), json: output.json) { ["this machine has no hub elsewhere any more"] }
            }
        } catch let error as KeyFileError {
            throw CommandFailure(error)
        } catch let error as BusError {
            throw CommandFailure(.badData, "\(error)")
        } catch let error as DirectoryError {
            throw CommandFailure(.cannotCreate, "\(error)")
        }
    }

    // MARK: - At the hub

    private struct Paired: Encodable {
        var name: String
        var profile: RightsProfile
        var key: String
        var line: String?
        var file: String?
        var hubRuns: Bool
        /// False when no other machine can reach it; absent when no hub runs here.
        var hubListens: Bool?
    }

    private var rights: PeerRights {
        var rights = profile.rights(for: name ?? "")
        if !publish.isEmpty { rights.publish = publish }
        if !hear.isEmpty { rights.hear = hear }
        if !ask.isEmpty { rights.ask = ask }
        if !processes.isEmpty { rights.processes = processes }
        return rights
    }

    private func pair(_ name: String, _ config: URL, _ terminal: Terminal) async throws {
        try ensurePrivateDirectory(config)
        let keys = try CurveKey.newPair()
        let hubKey = try HubKeys.loadOrMake(in: config).publicKey
        let pairing = Pairing(name: name, address: address ?? "", hubKey: hubKey, secretKey: keys.secretKey)
        if let file {
            let url = URL(filePath: file)
            guard !FileManager.default.fileExists(atPath: file) else {
                throw CommandFailure(.cannotCreate, "\(file) exists already", cure: "name a new file")
            }
            try pairing.save(to: url)
        }
        let peer = AuthorizedPeer(
            name: name, publicKey: keys.publicKey, profile: profile, rights: rights,
            addedAt: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        do {
            try AuthorizedPeers.add(peer, in: config)
        } catch {
            if let file { try? FileManager.default.removeItem(atPath: file) }
            throw error
        }
        let hub = await HubNotice(bus: bus).tell()
        let answer = Paired(
            name: name, profile: profile, key: keys.publicKey.fingerprint, line: file == nil ? pairing.line : nil,
            file: file, hubRuns: hub != .absent, hubListens: hub == .absent ? nil : hub == .open)
        try terminal.answer(answer, json: output.json) { [file.map { "written to \($0)" } ?? pairing.line] }
        terminal.note(
            "Whoever has \(file == nil ? "this line" : "that file") comes in as \(name). It is not kept here: give it to "
                + "that machine alone and delete the copy. There: resonance pair --accept "
                + (file.map { "@\(URL(filePath: $0).lastPathComponent)" } ?? "-"))
        switch hub {
        case .open: break
        case .absent: terminal.note("The hub does not run here: the key counts as soon as it does.")
        case .closed: terminal.note(Self.closedHub(address: pairing.address))
        }
    }

    /// What is missing for another machine to come in.
    static func closedHub(address: String) -> String {
        let port = address.split(separator: ":").last ?? "7600"
        return "The hub listens to this machine alone: nobody else can come in until it is started with "
            + "--listen '*:\(port)'. With deploy/up: HUB_OPTIONS=(--listen '*:\(port)') in resonance.conf."
    }

    private static let unpaired = CommandFailure(
        .finding, "this machine is paired with no hub", cure: "see `resonance pair --help`")

    private func tell(_ list: AuthorizedPeers, _ terminal: Terminal) throws {
        struct Row: Encodable {
            var name: String
            var profile: RightsProfile
            var key: String
            var addedAt: Timestamp
            var rights: PeerRights
        }
        let rows = list.peers.map {
            Row(
                name: $0.name, profile: $0.profile, key: $0.publicKey.fingerprint, addedAt: $0.addedAt,
                rights: $0.rights)
        }
        try terminal.answer(rows, json: output.json) {
            if rows.isEmpty { return ["nobody is let in from other machines"] }
            return rows.flatMap { row in
                [
                    "\(terminal.style.bold(row.name))  \(row.profile.rawValue), key \(row.key), since "
                        + Wording.moment(row.addedAt, terminal.timeZone),
                    "  is        \(row.rights.processes.joined(separator: " "))",
                    "  publishes \(row.rights.publish.joined(separator: " "))",
                    "  hears     \(row.rights.hear.joined(separator: " "))",
                    "  asks      \(row.rights.ask.joined(separator: " "))",
                ]
            }
        }
    }

    // MARK: - On the other machine

    private struct HubElsewhere: Encodable {
        var name: String
        var hub: String
        var hubKey: String
    }

    private func take(_ text: String, _ config: URL, _ terminal: Terminal) throws {
        // First what was given: a misspelt name is the likeliest fault.
        let pairing: Pairing
        if text == "-" {
            pairing = try Pairing(line: terminal.askSecret("The line: ") ?? "")
        } else if text.hasPrefix("@") {
            let file = URL(filePath: String(text.dropFirst()))
            guard let stored = try Pairing.load(from: file) else {
                throw CommandFailure(.noInput, "there is no file \(file.path(percentEncoded: false))")
            }
            pairing = stored
        } else {
            pairing = try Pairing(line: text)
        }
        guard !HubKeys.exist(in: config) else {
            throw CommandFailure(
                .notAllowed,
                "this machine has a hub of its own that others are let in to; the line is for another machine",
                cure: "accept it there, or give another configuration directory by RESONANCE_CONFIG_DIR")
        }
        try ensurePrivateDirectory(config)
        try pairing.save(to: Pairing.file(in: config))
        try tell(pairing, terminal)
    }

    private func tell(_ pairing: Pairing?, _ terminal: Terminal) throws {
        guard let pairing else { throw Self.unpaired }
        let answer = HubElsewhere(name: pairing.name, hub: pairing.address, hubKey: pairing.hubKey.fingerprint)
        try terminal.answer(answer, json: output.json) {
            ["this machine is \(answer.name) at the hub \(answer.hub) (key \(answer.hubKey))"]
        }
    }
}

struct UnpairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpair", abstract: "Shut another machine out, at once.",
        discussion: """
            Takes its key off the list and ends its connections; the others come back within half a second.

            Example: resonance unpair wrist
            """)

    private struct Unpaired: Encodable {
        var name: String
        var hubRuns: Bool
    }

    @Argument(help: "The name that it was paired under.") var name: String
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws {
        do {
            try AuthorizedPeers.remove(name, in: bus.directories.config)
        } catch {
            throw CommandFailure(error)
        }
        let hubRuns = await HubNotice(bus: bus).tell() != .absent
        try Terminal.standard().answer(Unpaired(name: name, hubRuns: hubRuns), json: output.json) {
            ["\(name) is shut out" + (hubRuns ? "" : "; the hub does not run here")]
        }
    }
}

/// Has a hub on this machine read its list of keys now; it would notice within a second anyway.
struct HubNotice {
    enum Hub: Equatable {
        /// None runs here.
        case absent
        /// It listens to this machine alone.
        case closed
        case open
    }

    let bus: BusOptions

    func tell() async -> Hub {
        guard let endpoints = try? BusEndpoints(runtimeDirectory: bus.directories.runtime),
            let household = try? await BusHousehold.join(
                over: ZeroMQTransport(endpoints), listener: bus.listenerName, deadline: .seconds(2), subscriptions: [])
        else { return .absent }
        let answer = await household.attempt(ReloadKeys())
        await household.leave()
        guard case .success(let done) = answer else { return .absent }
        return done.note == nil ? .open : .closed
    }
}

extension RightsProfile: ExpressibleByArgument {}

extension CommandFailure {
    init(_ error: KeyFileError) {
        let status: CommandStatus =
            switch error {
            case .open, .notOwn: .notAllowed
            case .unreadable: .noInput
            case .bad: .badData
            case .cannotWrite: .cannotCreate
            case .nameTaken, .unknownName: .finding
            case .badName: .usage
            }
        self.init(status, "\(error)")
    }
}
