import ArgumentParser
import Foundation
import Glibc
import Protocols
import ServiceKit
import Testing

@testable import ResonanceCLI

/// Export and deletion: what the listener may do with what is kept.
struct OwnDataTests {
    private func directories(_ directory: TemporaryDirectory) -> Directories {
        Directories(
            runtime: directory.url.appending(path: "run"), data: directory.url.appending(path: "data"),
            state: directory.url.appending(path: "state"), config: directory.url.appending(path: "config"))
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    /// Planted in every file that must not survive.
    private static let secret = "heartbeat-of-nobody"

    private func plant(_ directory: TemporaryDirectory) throws {
        for name in [
            "data/body.sqlite", "data/body.sqlite-wal", "data/library.sqlite", "data/outbox/sensor-emitter.log",
            "data/outbox/brain/0001", "state/backups/body-2026.sqlite", "state/logs/brain.log.1",
        ] {
            try directory.write(name, Self.secret)
        }
        try directory.write("state/logs/brain.log", Self.secret)
        try directory.write("data/notes.txt", "not ours")
        try directory.write("run/hub-in", "")
        try directory.write("data/brain.lock", "123\n")
    }

    private func files(with text: String, below url: URL) throws -> [String] {
        try Traces.files(under: url).filter { path in
            try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    @Test func `with all processes down every trace goes, and foreign files stay`() async throws {
        let directory = try TemporaryDirectory()
        try plant(directory)
        let report = try await Deletion(nil, Traces(directories: directories(directory)), Paper().terminal()).run()
        #expect(try files(with: Self.secret, below: directory.url) == [])
        #expect(report.left == [])
        #expect(report.removed.count == 7)
        #expect(report.emptiedLogs == [directory.path("state/logs/brain.log")])
        #expect(report.notOurs == [directory.path("data/notes.txt")])
        #expect(directory.exists("data/notes.txt"))
        #expect(!directory.exists("run/hub-in"))
        #expect(!directory.exists("data/brain.lock"))
    }

    @Test func `a directory whose name begins with the name of another one is searched too`() async throws {
        let directory = try TemporaryDirectory()
        let places = Directories(
            runtime: directory.url.appending(path: "resonance-run"), data: directory.url.appending(path: "resonance"),
            state: directory.url.appending(path: "resonance-state"), config: directory.url.appending(path: "config"))
        try directory.write("resonance/body.sqlite", Self.secret)
        try directory.write("resonance-state/logs/brain.log", Self.secret)
        try directory.write("resonance-state/backups/body.sqlite", Self.secret)
        // The other way round too: the order must not matter.
        for places in [
            places,
            Directories(
                runtime: places.runtime, data: places.state, state: places.data, config: places.config),
        ] {
            #expect(Traces(directories: places).all().count == 3)
        }
        _ = try await Deletion(nil, Traces(directories: places), Paper().terminal()).run()
        #expect(try files(with: Self.secret, below: directory.url) == [])
    }

    @Test func `running owners are asked, and keep their new files`() async throws {
        let directory = try TemporaryDirectory()
        try plant(directory)
        let lock = try InstanceLock(name: "body", in: directory.url.appending(path: "data"))
        let household = FakeHousehold()
        try household.answer(.body, DeleteData.name, with: Done())
        household.refuse(.context, DeleteData.name, code: "unknown-request")
        let empty = Data("new and empty".utf8)
        household.onQuestion { question in
            if question.process == "body" {
                try? empty.write(to: URL(filePath: directory.path("data/body.sqlite")))
                try? FileManager.default.removeItem(atPath: directory.path("data/body.sqlite-wal"))
            }
        }
        let report = try await Deletion(household, Traces(directories: directories(directory)), Paper().terminal())
            .run()
        #expect(report.asked == ["body"])
        #expect(report.refused == [:])
        #expect(report.left == [])
        #expect(directory.exists("data/body.sqlite"))
        #expect(!directory.exists("data/library.sqlite"))
        #expect(try files(with: Self.secret, below: directory.url) == [])
        #expect(household.asked.first?.body == .object(["confirmation": .string("delete all my data")]))
        withExtendedLifetime(lock) {}
    }

    @Test func `nothing is deleted while an owner runs that cannot be reached`() async throws {
        let directory = try TemporaryDirectory()
        try plant(directory)
        let lock = try InstanceLock(name: "body", in: directory.url.appending(path: "data"))
        let deletion = Deletion(nil, Traces(directories: directories(directory)), Paper().terminal())
        let failure = try await #require(throws: CommandFailure.self) { _ = try await deletion.run() }
        #expect(failure.status == .unavailable)
        #expect(try files(with: Self.secret, below: directory.url).count == 8)
        withExtendedLifetime(lock) {}
    }

    @Test func `a running owner that refuses is reported and its files are left`() async throws {
        let directory = try TemporaryDirectory()
        try plant(directory)
        let lock = try InstanceLock(name: "body", in: directory.url.appending(path: "data"))
        let household = FakeHousehold()
        household.refuse(.body, DeleteData.name, code: "deadline", message: "body did not answer in 120 s")
        let report = try await Deletion(household, Traces(directories: directories(directory)), Paper().terminal())
            .run()
        #expect(report.refused == ["body": "body did not answer in 120 s"])
        #expect(report.left == [directory.path("data/body.sqlite"), directory.path("data/body.sqlite-wal")])
        withExtendedLifetime(lock) {}
    }

    @Test func `an outbox that its running owner did not empty is left and named`() async throws {
        let directory = try TemporaryDirectory()
        for name in ["sensor-emitter", "brain", "player-stub"] {
            try directory.write("data/outbox/\(name).outbox", name == "player-stub" ? "" : Self.secret)
        }
        let data = directory.url.appending(path: "data")
        let locks = try ["sensor-emitter", "brain", "player-stub"].map { try InstanceLock(name: $0, in: data) }
        let household = FakeHousehold()
        try household.answer(.brain, DeleteData.name, with: Done())
        household.onQuestion { question in
            if question.process == "brain" { truncate(directory.path("data/outbox/brain.outbox"), 0) }
        }
        let report = try await Deletion(household, Traces(directories: directories(directory)), Paper().terminal())
            .run()
        #expect(report.left == [directory.path("data/outbox/sensor-emitter.outbox")])
        withExtendedLifetime(locks) {}
    }

    @Test(arguments: [[], ["yes"], ["DELETE ALL MY DATA"]])
    func `without the exact phrase nothing is deleted`(answers: [String]) throws {
        let command = try #require(try ResonanceCommand.parseAsRoot(["delete-all"]) as? DeleteAllCommand)
        let failure = try #require(throws: CommandFailure.self) {
            try command.confirm(on: Paper(answers: answers).terminal())
        }
        #expect(failure.status == .notAllowed)
    }

    @Test func `the phrase or --yes confirms`() throws {
        let typed = try #require(try ResonanceCommand.parseAsRoot(["delete-all"]) as? DeleteAllCommand)
        try typed.confirm(on: Paper(answers: ["delete all my data"]).terminal())
        let sure = try #require(try ResonanceCommand.parseAsRoot(["delete-all", "--yes"]) as? DeleteAllCommand)
        try sure.confirm(on: Paper().terminal())
    }

    @Test func `an export is private, lists what is there, and names who was missing`() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.url.appending(path: "out", directoryHint: .isDirectory)
        let household = FakeHousehold()
        for name in [ProcessName.librarian, .body] {
            try household.answer(name, ExportData.name, with: Exported(path: "", rows: 2))
        }
        household.onQuestion { question in
            guard case .object(let body) = question.body, case .string(let path)? = body["path"] else { return }
            if ["librarian", "body"].contains(question.process) {
                try? Data("{}\n{}\n".utf8).write(to: URL(filePath: path))
            }
        }
        let manifest = try await Export(household, into: target, Paper().terminal()).run()
        #expect(
            manifest.parts == [
                .init(bytes: 6, file: "librarian.jsonl", process: "librarian", rows: 2),
                .init(bytes: 6, file: "body.jsonl", process: "body", rows: 2),
            ])
        #expect(manifest.missing.filter(\.keepsData).map(\.process) == ["brain"])
        #expect(!manifest.complete)
        #expect(try mode(target.path(percentEncoded: false)) == 0o700)
        let file = directory.path("out/manifest.json")
        #expect(try mode(file) == 0o600)
        let written = try JSONDecoder().decode(ExportManifest.self, from: Data(contentsOf: URL(filePath: file)))
        #expect(written == manifest)
    }

    @Test func `an export never writes into a directory that is there`() async throws {
        let directory = try TemporaryDirectory()
        let failure = try await #require(throws: CommandFailure.self) {
            _ = try await Export(FakeHousehold(), into: directory.url, Paper().terminal()).run()
        }
        #expect(failure.status == .cannotCreate)
    }

    @Test func `import paths are absolute, expanded and tables first`() throws {
        let directory = try TemporaryDirectory()
        for name in ["b.m3u8", "a.csv", "c.txt", "d.xspf", ".hidden.m3u"] { try directory.write(name, "x") }
        let all = ["a.csv", "b.m3u8", "d.xspf"].map(directory.path)
        #expect(ImportPaths([directory.path("")]).found == all)
        #expect(
            ImportPaths([directory.path("b.m3u8"), directory.path("*.*"), directory.path("a.csv")]).found.first
                == all[0])
        #expect(ImportPaths([directory.path("?.m3u8")]).found == [all[1]])
        for missing in ["nothing.csv", "*.flac"] {
            let named = ImportPaths([directory.path(missing)])
            #expect(named.found == [] && named.failure?.status == .noInput)
        }
        // Of several, each that is missing is named, and what is there is taken.
        let some = ImportPaths([directory.path("no.csv"), directory.path("a.csv"), directory.path("nor.xml")])
        #expect(some.found == [all[0]])
        #expect(some.missing.map(\.argument) == [directory.path("no.csv"), directory.path("nor.xml")])
        #expect(some.failure?.cause == "\(directory.path("no.csv")), \(directory.path("nor.xml")): no such files")
    }
}
