import Foundation
import Protocols
import ServiceKit
import Testing

struct SupervisorReportFileTests {
    private static func withDirectory(_ body: (URL) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        try ensurePrivateDirectory(root)
        try body(root)
    }

    private static func write(_ report: SupervisorReport, _ root: URL) throws {
        try JSONEncoder().encode(report).write(
            to: root.appending(path: SupervisorReport.fileName), options: .atomic)
    }

    @Test func `only the report of the own supervisor counts, and a new one is seen`() throws {
        try Self.withDirectory { root in
            let file = SupervisorReportFile(runtimeDirectory: root)
            #expect(file.ofParent() == nil)
            var report = SupervisorReport(
                supervisor: getppid(), at: Timestamp(milliseconds: 5),
                processes: ["brain": .init(wanted: Open(.yes), restarts: 1)])
            try Self.write(report, root)
            #expect(file.ofParent() == report)
            report.processes["brain"]?.restarts = 2
            try Self.write(report, root)
            #expect(file.ofParent()?.processes["brain"]?.restarts == 2)
            report.supervisor = 1
            try Self.write(report, root)
            #expect(file.ofParent() == nil)
            #expect(file.ofLiving() == nil)
            try FileManager.default.removeItem(at: root.appending(path: SupervisorReport.fileName))
            #expect(file.ofParent() == nil)
        }
    }

    @Test func `a torn or foreign file is no report`() throws {
        try Self.withDirectory { root in
            let file = SupervisorReportFile(runtimeDirectory: root)
            try Data("{\"supervisor\":".utf8).write(to: root.appending(path: SupervisorReport.fileName))
            #expect(file.ofParent() == nil)
        }
    }
}
