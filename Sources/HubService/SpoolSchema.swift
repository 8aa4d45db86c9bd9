import GRDB

/// The tables of `spool/hub.sqlite`.
enum SpoolSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 events") { db in
            try db.create(table: "event") { table in
                table.autoIncrementedPrimaryKey("number")
                table.column("topic", .text).notNull()
                table.column("epoch", .integer).notNull()
                table.column("sequence", .integer).notNull()
                table.column("header", .blob).notNull()
                table.column("body", .blob).notNull()
                table.column("storedAt", .integer).notNull()
                table.uniqueKey(["topic", "epoch", "sequence"])
            }
            try db.create(table: "pending", options: .withoutRowID) { table in
                table.column("consumer", .text).notNull()
                table.column("number", .integer).notNull().indexed()
                table.column("deliveries", .integer).notNull().defaults(to: 0)
                table.primaryKey(["consumer", "number"])
            }
            try db.create(table: "deadLetter") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("number", .integer).notNull().indexed()
                table.column("consumer", .text).notNull()
                table.column("reason", .text).notNull()
                table.column("deliveries", .integer).notNull()
                table.column("at", .integer).notNull()
            }
            try db.create(table: "consumer", options: .withoutRowID) { table in
                table.primaryKey("name", .text)
                /// Families, separated by a space; empty = all.
                table.column("topics", .text).notNull()
            }
        }
        return migrator
    }
}
