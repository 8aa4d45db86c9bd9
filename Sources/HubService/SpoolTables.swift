import Bus
import Foundation
import GRDB
import Protocols

/// The jobs of one commit, done on the tables of ``SpoolSchema`` inside its transaction.
struct SpoolTables {
    /// Events that one pass of pruning forgets at most.
    static let pruneBatch = 500
    /// Bytes of bodies in one reply.
    private static let replyBytes = 256 << 10

    private(set) var depth: SpoolDepth
    private(set) var outcomes: [SpoolOutcome] = []
    let limits: SpoolLimits

    init(depth: SpoolDepth, limits: SpoolLimits) {
        self.depth = depth
        self.limits = limits
    }

    static func depth(in db: Database) throws -> SpoolDepth {
        var depth = SpoolDepth()
        let row = try Row.fetchOne(
            db, sql: "SELECT count(*), coalesce(sum(length(topic) + length(header) + length(body)), 0) FROM event")
        depth.events = row?[0] ?? 0
        depth.bytes = row?[1] ?? 0
        depth.pending = try Int.fetchOne(db, sql: "SELECT count(*) FROM pending") ?? 0
        depth.deadLetters = try Int.fetchOne(db, sql: "SELECT count(*) FROM deadLetter") ?? 0
        return depth
    }

    mutating func run(
        _ job: SpoolJob, _ complaints: [(cause: String, text: String)], _ movedAside: () -> [String], in db: Database
    ) throws {
        switch job {
        case .open:
            var overview = try Self.overview(in: db)
            overview.complaints = complaints
            outcomes.append(.opened(overview))
        case .append(let message, let consumers, let at): try append(message, consumers, at, in: db)
        case .acknowledge(let id, let consumer):
            if let number = try Self.number(of: id, in: db) { try settle(number, consumer, in: db) }
        case .noteDeliveries(let id, let consumer, let count):
            guard let number = try Self.number(of: id, in: db) else { return }
            try db.cachedStatement(sql: "UPDATE pending SET deliveries = ? WHERE consumer = ? AND number = ?")
                .execute(arguments: [count, consumer.rawValue, number])
        case .bury(let id, let consumer, let reason, let deliveries, let at):
            guard let number = try Self.number(of: id, in: db), try settle(number, consumer, in: db) else { return }
            try db.execute(
                sql: "INSERT INTO deadLetter (number, consumer, reason, deliveries, at) VALUES (?, ?, ?, ?, ?)",
                arguments: [number, consumer.rawValue, reason, deliveries, at.milliseconds])
            depth.deadLetters += 1
            if let letter = try Self.letter(db.lastInsertedRowID, in: db)?.letter { outcomes.append(.buried(letter)) }
        case .load(let consumer, let after, let limit, let bytes):
            outcomes.append(try Self.load(consumer, after, limit, bytes, in: db))
        case .ask(let question, let id, let at):
            do throws(Refusal) {
                let answer = try answer(question, at, movedAside, in: db)
                outcomes.append(.answered(id, .success(answer)))
            } catch {
                outcomes.append(.answered(id, .failure(error)))
            }
        case .prune(let at): try prune(at, in: db)
        }
    }

    // MARK: - Events

    private mutating func append(
        _ message: Received, _ consumers: [ProcessName], _ at: Timestamp, in db: Database
    ) throws {
        let id = EventID(message)
        if let number = try Self.number(of: id, in: db) {
            outcomes.append(
                .stored(SpooledEvent(number: number, message: message), consumers: consumers, isNew: false))
            return
        }
        let size = Int64(SpooledEvent.size(message))
        if !hasRoom(for: size) { try forget(at, room: size, in: db) }
        guard hasRoom(for: size) else {
            outcomes.append(
                .refused(
                    id, bytes: Int(size), reason: "spool-full",
                    detail: "the spool holds \(depth.events) events, \(depth.bytes) bytes"))
            return
        }
        try db.cachedStatement(
            sql: "INSERT INTO event (topic, epoch, sequence, header, body, storedAt) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(
            arguments: [
                message.topic, Int64(bitPattern: message.header.epoch), Int64(bitPattern: message.header.sequence),
                Data(message.header.bytes), Data(message.body), at.milliseconds,
            ])
        let number = db.lastInsertedRowID
        for consumer in consumers {
            try db.cachedStatement(sql: "INSERT INTO pending (consumer, number) VALUES (?, ?)")
                .execute(arguments: [consumer.rawValue, number])
        }
        depth.events += 1
        depth.bytes += size
        depth.pending += consumers.count
        outcomes.append(.stored(SpooledEvent(number: number, message: message), consumers: consumers, isNew: true))
    }

    private func hasRoom(for size: Int64) -> Bool {
        depth.events < limits.maxEvents && depth.bytes + size <= limits.maxBytes
    }

    /// - Returns: false when the consumer was not waited for.
    @discardableResult
    private mutating func settle(_ number: Int64, _ consumer: ProcessName, in db: Database) throws -> Bool {
        try db.cachedStatement(sql: "DELETE FROM pending WHERE consumer = ? AND number = ?")
            .execute(arguments: [consumer.rawValue, number])
        guard db.changesCount > 0 else { return false }
        depth.pending -= 1
        return true
    }

    private static func number(of id: EventID, in db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT number FROM event WHERE topic = ? AND epoch = ? AND sequence = ?"),
            arguments: [id.topic, Int64(bitPattern: id.epoch), Int64(bitPattern: id.sequence)])
    }

    private static func message(_ row: Row) throws -> Received {
        let header: Data = row["header"]
        let body: Data = row["body"]
        return Received(
            topic: row["topic"], header: try header.withUnsafeBytes { try Header(bytes: $0) }, body: Array(body))
    }

    private static func overview(in db: Database) throws -> SpoolOverview {
        var overview = SpoolOverview()
        for row in try Row.fetchAll(db, sql: "SELECT name, topics FROM consumer") {
            overview.registered[ProcessName(rawValue: row[0])] = topics(row[1])
        }
        for row in try Row.fetchAll(db, sql: "SELECT consumer, max(number) FROM pending GROUP BY consumer") {
            overview.newest[ProcessName(rawValue: row[0])] = row[1]
        }
        return overview
    }

    private static func topics(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private static func load(
        _ consumer: ProcessName, _ after: Int64, _ limit: Int, _ bytes: Int, in db: Database
    ) throws -> SpoolOutcome {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT event.number, deliveries, topic, header, body FROM pending
                JOIN event ON event.number = pending.number
                WHERE consumer = ? AND pending.number > ? ORDER BY pending.number
                """, arguments: [consumer.rawValue, after])
        var events: [SpooledEvent] = []
        var size = 0
        var last: Int64 = after
        while let row = try rows.next() {
            guard events.count < limit, size < bytes else { return .loaded(consumer, events, upTo: last) }
            let message = try message(row)
            size += SpooledEvent.size(message)
            last = row[0]
            events.append(SpooledEvent(number: last, message: message, deliveries: row[1]))
        }
        let newest = try Int64.fetchOne(db, sql: "SELECT max(number) FROM event") ?? 0
        return .loaded(consumer, events, upTo: max(newest, after))
    }

    // MARK: - Forgetting

    private mutating func prune(_ at: Timestamp, in db: Database) throws {
        try forget(at, room: 0, in: db)
    }

    /// Forgets a batch of the oldest events that nobody waits for: those that are too old, beyond the size that is
    /// kept, or in the way of `room` bytes.
    private mutating func forget(_ at: Timestamp, room: Int64, in db: Database) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT number, length(topic) + length(header) + length(body) AS size, storedAt FROM event
                WHERE NOT EXISTS (SELECT 1 FROM pending WHERE pending.number = event.number)
                    AND NOT EXISTS (SELECT 1 FROM deadLetter WHERE deadLetter.number = event.number)
                ORDER BY number LIMIT ?
                """, arguments: [Self.pruneBatch])
        let oldest = at.milliseconds - Int64(limits.keepSeconds * 1000)
        for row in rows {
            let storedAt: Int64 = row[2]
            let isInTheWay = room > 0 && !hasRoom(for: room)
            guard storedAt < oldest || depth.bytes > limits.keepBytes || isInTheWay else { continue }
            try db.cachedStatement(sql: "DELETE FROM event WHERE number = ?").execute(arguments: [row[0] as Int64])
            depth.events -= 1
            depth.bytes -= row[1] as Int64
        }
    }

    // MARK: - Questions

    private mutating func answer(
        _ question: SpoolQuestion, _ at: Timestamp, _ movedAside: () -> [String], in db: Database
    ) throws(Refusal) -> SpoolAnswer {
        do {
            switch question {
            case .consumers: return .consumers(try Self.consumers(at, in: db))
            case .add(let query): return try add(query, in: db)
            case .remove(let name): return try remove(name, in: db)
            case .deadLetters(let limit):
                let ids = try Int64.fetchAll(
                    db, sql: "SELECT id FROM deadLetter ORDER BY id DESC LIMIT ?", arguments: [limit])
                let letters = try ids.compactMap { try Self.letter($0, in: db)?.letter }
                return .deadLetters(DeadLetterList(total: depth.deadLetters, deadLetters: letters))
            case .deadLetter(let id):
                let found = try Self.known(id, in: db)
                return .deadLetter(
                    DeadLetterContent(
                        letter: found.letter, schema: found.message.header.schema, sentAt: found.message.sentAt,
                        json: String(decoding: found.message.body, as: UTF8.self)))
            case .replay(let id):
                let number = try Self.known(id, in: db).number
                let consumer = try dropLetter(id, in: db)
                try db.execute(
                    sql: "INSERT OR REPLACE INTO pending (consumer, number, deliveries) VALUES (?, ?, 0)",
                    arguments: [consumer.rawValue, number])
                depth.pending += 1
                return .replayed(consumer, number: number)
            case .drop(let id):
                _ = try Self.known(id, in: db)
                _ = try dropLetter(id, in: db)
                return .dropped
            case .events(let query): return .events(try Self.page(query, in: db))
            case .status:
                return .status(
                    SpoolReport(
                        events: depth.events, bytes: depth.bytes, pending: depth.pending,
                        deadLetters: depth.deadLetters, maxEvents: limits.maxEvents, maxBytes: limits.maxBytes,
                        movedAside: movedAside(), durable: true))
            case .export, .copy, .wipe: throw Refusal(code: "internal", message: "not inside a transaction")
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(code: "unavailable", message: "the spool cannot be used now: \(error)")
        }
    }

    private static func consumers(_ at: Timestamp, in db: Database) throws -> [DurableConsumer] {
        var rows: [ProcessName: DurableConsumer] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT name, topics FROM consumer") {
            let name = ProcessName(rawValue: row[0])
            rows[name] = DurableConsumer(name: name, topics: topics(row[1]), builtIn: false)
        }
        let waiting = try Row.fetchAll(
            db,
            sql: """
                SELECT consumer, count(*), min(pending.number), min(storedAt) FROM pending
                JOIN event ON event.number = pending.number GROUP BY consumer
                """)
        for row in waiting {
            let name = ProcessName(rawValue: row[0])
            var consumer = rows[name] ?? DurableConsumer(name: name, topics: [], builtIn: false)
            consumer.pending = row[1]
            consumer.cursor = row[2]
            consumer.oldestAgeSeconds = at.seconds(since: Timestamp(milliseconds: row[3]))
            rows[name] = consumer
        }
        return Array(rows.values)
    }

    private mutating func add(_ query: AddConsumer, in db: Database) throws -> SpoolAnswer {
        try db.execute(
            sql: "INSERT OR REPLACE INTO consumer (name, topics) VALUES (?, ?)",
            arguments: [query.name.rawValue, query.topics.joined(separator: " ")])
        if let from = query.from {
            let filter = TopicFilter(query.topics)
            let rows = try Row.fetchAll(
                db, sql: "SELECT number, topic FROM event WHERE number >= ? ORDER BY number", arguments: [from])
            for row in rows where query.topics.isEmpty || filter.matches(row[1]) {
                try db.cachedStatement(sql: "INSERT OR IGNORE INTO pending (consumer, number) VALUES (?, ?)")
                    .execute(arguments: [query.name.rawValue, row[0] as Int64])
                depth.pending += db.changesCount
            }
        }
        let newest = try Int64.fetchOne(
            db, sql: "SELECT max(number) FROM pending WHERE consumer = ?", arguments: [query.name.rawValue])
        return .added(query.name, topics: query.topics, newest: newest)
    }

    private mutating func remove(_ name: ProcessName, in db: Database) throws -> SpoolAnswer {
        try db.execute(sql: "DELETE FROM consumer WHERE name = ?", arguments: [name.rawValue])
        let known = db.changesCount
        try db.execute(sql: "DELETE FROM pending WHERE consumer = ?", arguments: [name.rawValue])
        let pending = db.changesCount
        guard known + pending > 0 else {
            throw Refusal(code: "not-found", message: "there is no consumer \(name)")
        }
        depth.pending -= pending
        return .removed(name, pending: pending)
    }

    private static func letter(
        _ id: Int64, in db: Database
    ) throws -> (letter: DeadLetter, message: Received, number: Int64)? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT event.number AS number, consumer, reason, deliveries, at, topic, header, body FROM deadLetter
                JOIN event ON event.number = deadLetter.number WHERE id = ?
                """, arguments: [id])
        guard let row else { return nil }
        let message = try message(row)
        let letter = DeadLetter(
            id: id, topic: message.topic, epoch: message.header.epoch, sequence: message.header.sequence,
            consumer: ProcessName(rawValue: row["consumer"]), reason: row["reason"], deliveries: row["deliveries"],
            at: Timestamp(milliseconds: row["at"]), bytes: message.body.count)
        return (letter, message, row["number"])
    }

    private static func known(
        _ id: Int64, in db: Database
    ) throws -> (letter: DeadLetter, message: Received, number: Int64) {
        guard let found = try letter(id, in: db) else {
            throw Refusal(code: "not-found", message: "there is no dead letter \(id): see `resonance dead-letters`")
        }
        return found
    }

    private mutating func dropLetter(_ id: Int64, in db: Database) throws -> ProcessName {
        let consumer = try String.fetchOne(db, sql: "SELECT consumer FROM deadLetter WHERE id = ?", arguments: [id])
        try db.execute(sql: "DELETE FROM deadLetter WHERE id = ?", arguments: [id])
        depth.deadLetters -= db.changesCount
        return ProcessName(rawValue: consumer ?? "")
    }

    private static func page(_ query: ListEvents, in db: Database) throws -> EventPage {
        let filter = TopicFilter([query.topic])
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT number, topic, header, body, storedAt FROM event WHERE number >= ? AND storedAt >= ?
                ORDER BY number
                """, arguments: [query.from ?? 0, query.since?.milliseconds ?? 0])
        var events: [StoredEvent] = []
        var bytes = 0
        while let row = try rows.next() {
            let topic: String = row["topic"]
            guard filter.matches(topic) else { continue }
            let number: Int64 = row["number"]
            guard events.count < query.limit, bytes < replyBytes else { return EventPage(events: events, next: number) }
            let event = StoredEvent(
                number: number, message: try message(row), storedAt: Timestamp(milliseconds: row["storedAt"]))
            // Quotes are escaped on the way: a page still fits into a frame of 1 MiB.
            if !events.isEmpty, bytes + event.json.utf8.count > replyBytes {
                return EventPage(events: events, next: number)
            }
            bytes += event.json.utf8.count
            events.append(event)
        }
        return EventPage(events: events, next: nil)
    }
}
