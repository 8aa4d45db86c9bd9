import Foundation
import GRDB
import Store
import Testing

struct ExportTests {
    private func migrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.create(table: "b") { table in
                table.column("text", .text)
                table.column("number", .double)
                table.column("bytes", .blob)
            }
            try db.create(table: "a") { table in table.column("count", .integer) }
        }
        return migrator
    }

    @Test func `every row of every table is a line of JSON in a new private file`() throws {
        let scratch = try Scratch()
        let file = try DatabaseFile(path: scratch.path("a.sqlite"), migrator: migrator())
        try file.write { db in
            try db.execute(sql: "INSERT INTO a VALUES (-3), (NULL)")
            try db.execute(
                sql: "INSERT INTO b VALUES (?, ?, ?)",
                arguments: ["\"q\" \\ \n\u{1} é", 0.1, Data([0, 255])])
        }
        #expect(try file.exportRows(to: scratch.path("out.jsonl")) == 3)
        #expect(try scratch.mode("out.jsonl") == 0o600)
        let lines = try String(contentsOfFile: scratch.path("out.jsonl"), encoding: .utf8).split(separator: "\n")
        #expect(
            lines == [
                #"{"row":{"count":-3},"table":"a"}"#, #"{"row":{"count":null},"table":"a"}"#,
                #"{"row":{"bytes":{"base64":"AP8="},"number":0.1,"text":"\"q\" \\ \n\u0001 é"},"table":"b"}"#,
            ])
        for line in lines { #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) } }
    }

    @Test func `an existing file is not overwritten`() throws {
        let scratch = try Scratch()
        let file = try DatabaseFile.inMemory(migrator: migrator())
        try Data("mine".utf8).write(to: URL(filePath: scratch.path("out.jsonl")))
        #expect(throws: StoreError.exists(path: scratch.path("out.jsonl"))) {
            try file.exportRows(to: scratch.path("out.jsonl"))
        }
        #expect(try String(contentsOfFile: scratch.path("out.jsonl"), encoding: .utf8) == "mine")
    }
}
