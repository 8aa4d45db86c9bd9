import ArgumentParser
import Foundation
import Protocols
import ServiceKit
import Testing

@testable import ResonanceCLI

struct DiagnosisTests {
    private static func place(_ path: String, mode: UInt32 = 0o700, own: Bool = true) -> HouseFacts.Place {
        HouseFacts.Place(path: path, exists: true, own: own, mode: mode)
    }

    private func healthy() -> HouseFacts {
        var facts = HouseFacts(
            runtime: Self.place("/r"), data: Self.place("/d"), state: Self.place("/s"),
            expected: ExpectedProcesses.names)
        facts.freeBytes = 5_000_000_000
        facts.table = Sample.table(Sample.fullHouse)
        facts.ownVersion = "0.1.0"
        facts.context = .success(
            ContextStatusReply(
                sources: [ContextSource(name: "focus", path: "/f.json", ok: true, detail: "on", ageSeconds: 2)],
                desktop: nil, calendar: nil))
        facts.brain = .success(Sample.brain())
        facts.library = LibraryRevision(revision: 1, songs: 240, playlists: 6, analysed: 240, pending: 0)
        return facts
    }

    private func wrong(_ change: (inout HouseFacts) -> Void) -> [Diagnosis.Finding] {
        var facts = healthy()
        change(&facts)
        return Diagnosis(facts).findings.filter { $0.status != .ok }
    }

    @Test func `a healthy house has nothing to say`() {
        #expect(wrong { _ in } == [])
    }

    @Test func `a silent topic is named with its sender, its silence and its period`() {
        let found = wrong { facts in
            facts.table?.processes[4].topics = [.init(topic: "bio/heart-rate/me", alive: false, silentSeconds: 12)]
        }
        #expect(found.map(\.text) == ["bio/heart-rate/me from sensor-emitter: silent 12 s, expected every 1 s"])
        #expect(found.first?.cure?.contains("deploy/restart sensor-emitter") == true)
    }

    @Test func `a frozen process is told from one that has ended, and neither is cured by starting everything`() {
        for (state, wanted, text, cure) in [
            (.silent, .yes, "is there and says nothing for 77 s", "at once: deploy/restart body"),
            (.silent, nil, "is there and says nothing for 77 s", "systemctl --user restart resonance-body"),
            (.ended, .yes, "has ended, last heard 77 s ago", "is starting it again"),
            (.ended, nil, "has ended, last heard 77 s ago", "systemctl --user restart resonance-body"),
        ] as [(ProcessTable.State, ProcessTable.Wanted?, String, String)] {
            let found = wrong { facts in
                facts.report = wanted.map { _ in SupervisorReport(supervisor: 2, at: Sample.noon, processes: [:]) }
                facts.table?.processes[1] = Sample.row(.body, state: state, wanted: wanted)
            }
            #expect(found.map(\.check) == ["process body"])
            #expect(found.first?.text.hasPrefix(text) == true)
            #expect(found.first?.cure?.contains(cure) == true, "\(found.first?.cure ?? "")")
            #expect(found.first?.cure?.contains("deploy/up") == false)
        }
    }

    @Test func `a frozen hub is restarted, not started a second time`() {
        let found = wrong { facts in
            facts.table = nil
            facts.hubFailure = "no hub answers at ipc:///r/hub-in within 5 s"
            facts.holders = [.init(process: .hub, pid: "17")]
        }
        #expect(found.map(\.check) == ["hub"])
        #expect(found.first?.text.hasPrefix("runs as pid 17 and does not answer") == true)
        #expect(found.first?.cure?.hasPrefix("deploy/restart hub") == true)
    }

    @Test func `a process that is absent or stopped is wrong, one that starts is not`() {
        let found = wrong { facts in
            facts.table?.processes = [
                Sample.row(.librarian), Sample.row(.body, running: false), Sample.row("player-mpd", ready: false),
                Sample.row(.context), Sample.row(.sensor),
            ]
        }
        #expect(found.map(\.check) == ["process body", "process player", "process brain"])
        #expect(found.map(\.status) == [.wrong, .notice, .wrong])
    }

    @Test func `rights, disk, versions, playlists and sources are judged, each with a cure`() {
        let found = wrong { facts in
            facts.runtime = Self.place("/r", mode: 0o755)
            facts.data = Self.place("/d", own: false)
            facts.openFiles = [Self.place("/d/body.sqlite", mode: 0o644)]
            facts.freeBytes = 1_000_000
            facts.table?.processes[0].version = "0.0.9"
            facts.brain = .success(Sample.brain(playlists: [], pool: 0, breaches: 2))
            facts.library = nil
            facts.context = .success(
                ContextStatusReply(
                    sources: [
                        ContextSource(
                            name: "calendar", path: "/c.ics", ok: false, detail: "line 3: no END", ageSeconds: nil)
                    ], desktop: nil, calendar: nil))
        }
        #expect(
            found.map(\.check) == [
                "runtime directory", "data directory", "private files", "disk", "versions", "source calendar",
                "library", "playlists", "guards",
            ])
        #expect(found.allSatisfy { $0.status == .wrong && $0.cure?.isEmpty == false })
        #expect(found.first?.cure == "chmod 700 '/r'")
    }

    @Test func `without a hub it still says what it can`() {
        let found = wrong { facts in
            facts.table = nil
            facts.hubFailure = "no hub at ipc:///r/hub-in within 5 s"
        }
        #expect(found.map(\.check) == ["hub"])
    }

    @Test func `text is aligned and JSON has stable keys`() throws {
        var facts = healthy()
        facts.table = nil
        facts.hubFailure = "no hub"
        let diagnosis = Diagnosis(facts)
        let paper = Paper()
        #expect(throws: CommandFailure.self) {
            var command = DoctorCommand()
            command.output = try OutputOptions.parse([])
            try command.report(diagnosis, on: paper.terminal())
        }
        #expect(
            paper.output == """
                ok      runtime directory  /r, mode 0700
                ok      data directory     /d, mode 0700
                ok      state directory    /s, mode 0700
                ok      private files      nobody else can read the data and logs
                ok      disk               5.0 GB free
                wrong   hub                no hub
                                           → start everything with deploy/up, or name its place with --runtime-dir or --hub

                """)
        #expect(
            try Terminal.json(diagnosis, pretty: false).hasPrefix(
                #"{"findings":[{"check":"runtime directory","status":"ok","text":"/r, mode 0700"}"#))
    }

    @Test func `files that others may read are found on disk`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("brain.sqlite", "x", mode: 0o644)
        try directory.write("body.sqlite", "x")
        let facts = HouseFacts(
            directories: .init(
                runtime: directory.url.appending(path: "run"), data: directory.url,
                state: directory.url.appending(path: "state"), config: directory.url.appending(path: "config")),
            expected: [])
        #expect(facts.openFiles.map(\.path) == [directory.path("brain.sqlite")])
        #expect(facts.openFiles.first?.mode == 0o644)
        #expect(facts.runtime.exists == false)
        #expect((facts.freeBytes ?? 0) > 0)
    }
}
