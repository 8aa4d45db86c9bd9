import Protocols

/// What is right and wrong with a house, each with what to do about it.
struct Diagnosis: Encodable, Equatable {
    enum Status: String, Codable { case ok, notice, wrong }

    struct Finding: Encodable, Equatable {
        var check: String
        var status: Status
        var text: String
        /// What to do; absent when nothing is wrong.
        var cure: String?
    }

    /// Free space below this is a finding: a day of samples and logs needs a few megabytes, a backup more.
    static let leastFreeBytes: Int64 = 200_000_000

    private(set) var findings: [Finding] = []

    init(_ facts: HouseFacts) {
        judgePlaces(facts)
        judgeDisk(facts)
        judgeHub(facts)
        judgeGivenUp(facts)
        judgeLocks(facts)
        guard let table = facts.table else { return }
        judgeProcesses(table, facts)
        judgeTopics(table, facts)
        judgeBeats(facts)
        judgeContext(facts)
        judgeMusic(facts)
    }

    mutating func ok(_ check: String, _ text: String) {
        findings.append(Finding(check: check, status: .ok, text: text))
    }

    mutating func notice(_ check: String, _ text: String, _ cure: String) {
        findings.append(Finding(check: check, status: .notice, text: text, cure: cure))
    }

    mutating func wrong(_ check: String, _ text: String, _ cure: String) {
        findings.append(Finding(check: check, status: .wrong, text: text, cure: cure))
    }

    private mutating func judgePlaces(_ facts: HouseFacts) {
        for (check, place) in [("runtime", facts.runtime), ("data", facts.data), ("state", facts.state)] {
            if !place.exists {
                notice("\(check) directory", "\(place.path) does not exist", "it is made at the first start: deploy/up")
            } else if !place.own {
                wrong(
                    "\(check) directory", "\(place.path) belongs to somebody else",
                    "remove it, or choose another with RESONANCE_\(check.uppercased())_DIR")
            } else if place.mode & 0o077 != 0 {
                wrong(
                    "\(check) directory", "\(place.path) can be entered by others (mode \(octal(place.mode)))",
                    "chmod 700 '\(place.path)'")
            } else {
                ok("\(check) directory", "\(place.path), mode \(octal(place.mode))")
            }
        }
        for file in facts.openFiles.prefix(10) {
            if file.own {
                wrong(
                    "private files", "\(file.path) is open to others (mode \(octal(file.mode)))",
                    "chmod go= '\(file.path)'")
            } else {
                wrong("private files", "\(file.path) belongs to somebody else", "find out who wrote it, then remove it")
            }
        }
        if facts.openFiles.count > 10 {
            wrong(
                "private files", "and \(facts.openFiles.count - 10) more",
                "chmod -R go= '\(facts.data.path)' '\(facts.state.path)'")
        }
        if facts.openFiles.isEmpty, facts.data.exists { ok("private files", "nobody else can read the data and logs") }
    }

    private func octal(_ mode: UInt32) -> String { "0" + String(mode, radix: 8) }

    private mutating func judgeDisk(_ facts: HouseFacts) {
        guard let free = facts.freeBytes else { return }
        if free < Self.leastFreeBytes {
            wrong(
                "disk", "only \(Wording.bytes(free)) free for \(facts.data.path)",
                "free some space: without it nothing new is learnt")
        } else {
            ok("disk", "\(Wording.bytes(free)) free")
        }
    }

    private mutating func judgeHub(_ facts: HouseFacts) {
        if facts.hubFailure != nil, facts.holders.contains(where: { $0.process == .hub }) { return }
        if let failure = facts.hubFailure {
            wrong("hub", failure, "start everything with deploy/up, or name its place with --runtime-dir or --hub")
        } else if facts.table != nil {
            ok("hub", "answers")
        }
    }

    private mutating func judgeProcesses(_ table: ProcessTable, _ facts: HouseFacts) {
        for name in facts.expected where name != .hub && !facts.isGivenUp(name) {
            guard let row = table.processes.first(where: { ExpectedProcesses.matches($0.process, name) }) else {
                wrong("process \(name)", "is not there", "start it: deploy/up starts all; its log says why it stopped")
                continue
            }
            let restart = facts.restart(row.process)
            if row.wanted?.value == .no, row.life != .ready {
                notice("process \(name)", "was stopped on request", "start it: \(restart)")
            } else if row.life == .silent {
                wrong(
                    "process \(name)",
                    "is there and says nothing for \(Wording.age(row.silentSeconds)): frozen, or the machine is overloaded",
                    row.wanted?.value == .yes
                        ? "the supervisor replaces it after 15 s of silence; at once: \(restart)" : restart)
            } else if row.life == .ended {
                wrong(
                    "process \(name)", "has ended, last heard \(Wording.age(row.silentSeconds)) ago",
                    row.wanted?.value == .yes
                        ? "the supervisor is starting it again; its log says why it ended"
                        : "its log says why it ended; then \(restart)")
            } else if row.life != .ready {
                notice("process \(name)", "is starting", "wait, then ask again; its log says what it waits for")
            } else if row.restarts >= 3 {
                let how = row.lastExit.map { ", last by \(ProcessesView.how($0))" } ?? ""
                notice(
                    "process \(name)", "was restarted \(row.restarts) times\(how)", "look into its log for the reason")
            } else {
                ok("process \(name)", "ready, pid \(row.pid), version \(row.version)")
            }
        }
        let others = Set(table.processes.filter { !$0.process.isVisitor && $0.running }.map(\.version))
            .subtracting([facts.ownVersion, ""])
        if others.isEmpty {
            ok("versions", "all \(facts.ownVersion)")
        } else {
            wrong(
                "versions", "this tool is \(facts.ownVersion), others are \(others.sorted().joined(separator: ", "))",
                "build and restart everything from one checkout: deploy/build, deploy/up")
        }
    }

    private mutating func judgeTopics(_ table: ProcessTable, _ facts: HouseFacts) {
        var alive = 0
        for row in table.processes where row.running {
            for topic in row.topics {
                guard topic.alive == false else {
                    alive += topic.alive == true ? 1 : 0
                    continue
                }
                let period = Registry.spec(of: topic.topic)?.period.map { ", expected every \(Wording.age($0))" } ?? ""
                wrong(
                    "topic", "\(topic.topic) from \(row.process): silent \(Wording.age(topic.silentSeconds))\(period)",
                    Self.cure(ofSilent: topic.topic, facts.restart(row.process)))
            }
        }
        if !findings.contains(where: { $0.check == "topic" }) {
            ok("topics", "\(Wording.count(alive, "topic")) with a period, all in time")
        }
    }

    private static func cure(ofSilent topic: String, _ restart: String) -> String {
        switch TopicSpec.family(of: topic) {
        case let family where family.hasPrefix("bio/"):
            "is the sensor worn and connected, or the recording over? Then \(restart)"
        case Registry.progress.spec.family: "nothing plays, or the player hangs: resonance now, then \(restart)"
        default: "its log says what it waits for; then \(restart)"
        }
    }

    private mutating func judgeContext(_ facts: HouseFacts) {
        switch facts.context {
        case .success(let status)?:
            for source in status.sources {
                let place = source.path.map { " (\($0))" } ?? ""
                if source.ok {
                    ok("source \(source.name)", source.detail + place)
                } else {
                    wrong("source \(source.name)", source.detail + place, "repair the file, or take the source away")
                }
            }
            if status.sources.isEmpty {
                notice(
                    "desktop context", "no source is given",
                    "give context-agent a focus file, calendar or ActivityWatch")
            }
        case .failure(let refusal)? where refusal.code != "unknown-process":
            wrong("desktop context", refusal.message, facts.restart(.context))
        // An absent process has been named above.
        case .failure?, nil: break
        }
    }

    private mutating func judgeMusic(_ facts: HouseFacts) {
        if let library = facts.library, library.songs > 0 {
            ok("library", "\(Wording.count(library.songs, "song")), \(Wording.count(library.playlists, "playlist"))")
        } else {
            wrong("library", "no song yet", "resonance library import FILES")
        }
        switch facts.brain {
        case .success(let brain)?:
            if brain.playlists.isEmpty {
                wrong("playlists", "none chosen: nothing can be picked", "resonance playlists, then resonance use NAME")
            } else if brain.pool == 0 {
                wrong(
                    "playlists", "\(brain.playlists.joined(separator: ", ")): no song that can be played",
                    "choose another: resonance use NAME")
            } else {
                ok("playlists", "\(brain.playlists.joined(separator: ", ")): \(Wording.count(brain.pool, "song"))")
            }
            if brain.breaches > 0 {
                wrong(
                    "guards", "\(Wording.count(brain.breaches, "pick")) broke a rule without a relaxation",
                    "this is a bug: keep `resonance export` and report it")
            }
        case .failure(let refusal)? where refusal.code != "unknown-process":
            wrong("brain", refusal.message, facts.restart(.brain))
        // An absent process has been named above.
        case .failure?, nil: break
        }
    }

    func lines(_ terminal: Terminal) -> [String] {
        let style = terminal.style
        let names = findings.map { Wording.displayWidth($0.check) }.max() ?? 0
        return findings.flatMap { finding -> [String] in
            let mark =
                switch finding.status {
                case .ok: style.green("ok    ")
                case .notice: style.yellow("notice")
                case .wrong: style.red("wrong ")
                }
            let indent = names + 10
            let wrapped = Wording.wrap(finding.text.printable, to: terminal.width.map { max(20, $0 - indent) })
            var lines = wrapped.enumerated().map { index, line in
                index == 0
                    ? "\(mark)  \(Wording.pad(finding.check, to: names))  \(line)"
                    : String(repeating: " ", count: indent) + line
            }
            if let cure = finding.cure { lines.append(String(repeating: " ", count: indent) + "→ " + cure.printable) }
            return lines
        }
    }
}
