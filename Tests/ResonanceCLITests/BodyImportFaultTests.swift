import Foundation
import GRDB
import Protocols
import Testing

@testable import ResonanceCLI

/// `resonance body import --database`, killed and disturbed for real.
@Suite(.serialized)
struct BodyImportFaultTests {
    private static let records = 60_000

    /// An Apple Health export of one heart rate each 5 s.
    private static func export() -> Data {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_US\">\n"
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        for index in 0..<records {
            let second = index * 5
            let day = 1 + second / 86_400
            let time = "\(two(second / 3600 % 24)):\(two(second / 60 % 60)):\(two(second % 60))"
            let moment = "2026-01-\(two(day)) \(time) +0000"
            text +=
                "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"Watch\" unit=\"count/min\" "
                + "creationDate=\"\(moment)\" startDate=\"\(moment)\" endDate=\"\(moment)\" "
                + "value=\"\(50 + index * 7 % 61)\"/>\n"
        }
        return Data((text + "</HealthData>\n").utf8)
    }

    /// A child that this test may signal.
    private final class Importer: Sendable {
        let process: Process
        private let ends: AsyncStream<Void>

        init(_ words: [String], in directory: TemporaryDirectory) throws {
            process = Process()
            let tool: URL = try #require(ExecutableTests.executable, "the executable is not beside the tests")
            process.executableURL = tool
            process.arguments = words
            process.environment = ["HOME": directory.path(""), "PATH": "/usr/bin:/bin", "TZ": "UTC"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            let sink: AsyncStream<Void>.Continuation
            (ends, sink) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in sink.finish() }
            try process.run()
        }

        func signal(_ number: Int32) { kill(process.processIdentifier, number) }

        func end() async -> Int32 {
            for await _ in ends {}
            return process.terminationStatus
        }

        /// Signals as soon as the log of the database has been written so many times, or the process has ended.
        ///
        /// On a thread of its own: tests that compute would keep one of the pool waiting for longer than an import takes.
        func signal(_ number: Int32, afterWrites times: Int, to log: String) async {
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                Thread.detachNewThread { [self] in
                    var last = Self.trace(log)
                    var seen = 0
                    while seen < times, process.isRunning {
                        usleep(500)
                        let now = Self.trace(log)
                        if now != last { seen += 1 }
                        last = now
                    }
                    signal(number)
                    done.resume()
                }
            }
        }

        private static func trace(_ path: String) -> String {
            var status = stat()
            guard stat(path, &status) == 0 else { return "" }
            return "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        }
    }

    private struct Report: Decodable { var files: [BodyImportedFile] }

    /// Every table that an import fills but the ledger, and what was computed.
    private static func content(_ path: String) throws -> [String: [String]] {
        try DatabaseQueue(path: path).read { db in
            try ["heartRateDay", "day", "night", "minute"].reduce(into: [:]) { content, table in
                content[table] = try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { row in
                    row.map { "\($0.0)=\($0.1.storage)" }.joined(separator: " ")
                }.sorted()
            }
        }
    }

    @Test func `an import that is killed again and again loses nothing and takes nothing twice`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("export.xml", Self.export())
        func words(_ database: String) -> [String] {
            ["body", "import", directory.path("export.xml"), "--json", "--database", directory.path(database)]
        }
        // In the middle of the making of tables, and of each batch in turn.
        var kills = 0
        for times in [1, 2, 4, 3, 3] {
            let importer = try Importer(words("killed.sqlite"), in: directory)
            await importer.signal(SIGKILL, afterWrites: times, to: directory.path("killed.sqlite-wal"))
            _ = await importer.end()
            if importer.process.terminationReason == .uncaughtSignal { kills += 1 }
        }
        #expect(kills >= 3)
        let ended = try await ExecutableTests.run(words("killed.sqlite"), in: directory)
        #expect(ended.status == 0, "\(ended.error)")
        let report = try JSONDecoder().decode(Report.self, from: Data(ended.output.utf8))
        let file = try #require(report.files.first)
        #expect(file.unchanged || file.taken == ["heartRate": Self.records])
        #expect(file.unchanged || file.added == ["heartRate": Self.records])
        #expect(file.unchanged || file.resumedAt > 0)

        let whole = try await ExecutableTests.run(words("whole.sqlite"), in: directory)
        #expect(whole.status == 0, "\(whole.error)")
        let (killed, expected) = (
            try Self.content(directory.path("killed.sqlite")), try Self.content(directory.path("whole.sqlite"))
        )
        #expect(killed["heartRateDay"]?.count == 4)
        #expect(killed == expected)
    }

    @Test func `a second importer is refused by the process that has the database, and the first goes on`() async throws
    {
        let directory = try TemporaryDirectory()
        try directory.write("export.xml", Self.export())
        let words = ["body", "import", directory.path("export.xml"), "--database", directory.path("body.sqlite")]
        let first = try Importer(words, in: directory)
        await first.signal(SIGSTOP, afterWrites: 2, to: directory.path("body.sqlite-wal"))
        let second = try await ExecutableTests.run(words, in: directory)
        #expect(second.status == 75)
        #expect(second.error.contains("in use by process \(first.process.processIdentifier)"), "\(second.error)")
        first.signal(SIGCONT)
        #expect(await first.end() == 0)
        let again = try await ExecutableTests.run(words + ["--json"], in: directory)
        #expect(try JSONDecoder().decode(Report.self, from: Data(again.output.utf8)).files.first?.unchanged == true)
    }
}
