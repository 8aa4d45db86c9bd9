import Protocols

/// Questions about durable events, by process name `hub`.
extension HubCore {
    /// Passes a question on to the spool, which answers later.
    ///
    /// - Returns: false when the question is of another kind.
    mutating func askSpool(_ name: String, _ message: Received, now: Moment) throws -> Bool {
        let question: SpoolQuestion
        switch name {
        case ListConsumers.name: question = .consumers
        case AddConsumer.name: question = .add(try checked(message.decodeBody(AddConsumer.self)))
        case RemoveConsumer.name:
            let consumer = try message.decodeBody(RemoveConsumer.self).name
            guard EventDesk.builtIn[consumer] == nil else {
                throw Refusal(code: "not-allowed", message: "\(consumer) is a consumer by the registry")
            }
            question = .remove(consumer)
        case ListDeadLetters.name:
            question = .deadLetters(limit: min(max(try message.decodeBody(ListDeadLetters.self).limit, 1), 1000))
        case ShowDeadLetter.name: question = .deadLetter(try message.decodeBody(ShowDeadLetter.self).id)
        case ReplayDeadLetter.name: question = .replay(try message.decodeBody(ReplayDeadLetter.self).id)
        case DropDeadLetter.name: question = .drop(try message.decodeBody(DropDeadLetter.self).id)
        case ListEvents.name:
            var query = try message.decodeBody(ListEvents.self)
            query.limit = min(max(query.limit, 1), 1000)
            question = .events(query)
        case HoldEvents.name:
            let seconds = min(max(try message.decodeBody(HoldEvents.self).seconds, 0), 300)
            desk.heldUntilNs = seconds > 0 ? now.monotonicNs + Int64(seconds * 1e9) : 0
            if seconds == 0 { tickEvents(now: now) }
            say(Done(note: seconds > 0 ? "deliveries rest" : "deliveries go on"), to: message.header.correlation)
            return true
        case SpoolStatus.name: question = .status
        case ExportData.name: question = .export(path: try message.decodeBody(ExportData.self).path)
        case BackUpData.name:
            let path = try message.decodeBody(BackUpData.self).path
            guard path.hasPrefix("/") else {
                throw Refusal(code: "invalid", message: "backup needs an absolute path, got “\(path.prefix(200))”")
            }
            question = .copy(path: path)
        case DeleteData.name:
            guard try message.decodeBody(DeleteData.self).confirmation == DeleteData.phrase else {
                throw Refusal(code: "not-allowed", message: "the confirmation must be: \(DeleteData.phrase)")
            }
            question = .wipe
        default: return false
        }
        actions.append(.spool(.ask(question, id: message.header.correlation, at: now.timestamp)))
        return true
    }

    private func checked(_ query: AddConsumer) throws -> AddConsumer {
        guard EventDesk.builtIn[query.name] == nil, query.name != .hub else {
            throw Refusal(code: "not-allowed", message: "\(query.name) is a name of Resonance: choose another one")
        }
        let isName = { (text: String) in
            !text.isEmpty && text.utf8.count <= 64
                && text.utf8.allSatisfy {
                    (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
                }
        }
        guard isName(query.name.rawValue), !query.name.rawValue.hasPrefix("cli-") else {
            throw Refusal(
                code: "invalid", message: "a consumer's name is of small letters, digits and '-', and lasts: not cli-…")
        }
        for topic in query.topics
        where !Registry.all.contains(where: { spec in
            spec.deliveryClass == .event
                && (TopicFilter([topic]).matches(spec.family + "/me") || TopicSpec.family(of: topic) == spec.family)
        }) {
            throw Refusal(code: "not-found", message: "\(topic) is no topic of events: see `resonance topics`")
        }
        guard desk.registered[query.name] != nil || desk.registered.count < 64 else {
            throw Refusal(code: "not-allowed", message: "64 tools are registered: remove one first")
        }
        return query
    }

    mutating func answered(
        _ id: UInt64, _ result: Result<SpoolAnswer, Refusal>, _ touched: inout [ProcessName]
    ) {
        switch result {
        case .failure(let refusal): refuse(id, refusal)
        case .success(let answer):
            switch answer {
            case .consumers(let rows): say(ConsumerList(consumers: complete(rows)), to: id)
            case .added(let name, let topics, let newest):
                desk.registered[name] = TopicFilter(topics)
                var line = desk.lines[name] ?? ConsumerLine()
                if let newest { line.note(newest: newest) }
                if let holder = holders[name], let peer = peers[holder], peer.joined, !line.isJoined {
                    line.join(epoch: peer.epoch, isVirtual: peer.hello.virtualTime, hubSequence: hubSequence)
                }
                desk.lines[name] = line
                if let holder = holders[name] { tellConsumption(holder) }
                touched.append(name)
                say(Done(note: "events are kept for \(name)"), to: id)
            case .removed(let name, let pending):
                desk.registered[name] = nil
                desk.lines[name] = nil
                say(Done(note: "\(pending) events are no longer kept for \(name)"), to: id)
            case .deadLetters(let list): say(list, to: id)
            case .deadLetter(let content): say(content, to: id)
            case .replayed(let consumer, let number):
                desk.lines[consumer, default: ConsumerLine()].restored(number)
                touched.append(consumer)
                say(Done(note: "delivered to \(consumer) again"), to: id)
            case .dropped: say(Done(note: "deleted"), to: id)
            case .events(let page): say(page, to: id)
            case .status(var report):
                report.refusing = desk.refusing
                say(report, to: id)
            case .copied(let done): say(done, to: id)
            case .exported(let done): say(done, to: id)
            case .wiped:
                for name in desk.lines.keys { desk.lines[name]?.forgetAll() }
                desk.registered = [:]
                desk.retries = []
                say(Done(note: "the spool is empty"), to: id)
            }
        }
    }

    private mutating func say(_ reply: some Message, to id: UInt64) {
        do {
            let bytes = try MessageCoding.encode(reply)
            guard bytes.count <= maximumMessageBytes else {
                throw Refusal(code: "unavailable", message: "the answer is larger than a message may be")
            }
            respond(id, bytes, flags: [])
        } catch {
            refuse(
                id,
                (error as? Refusal)
                    ?? Refusal(code: "internal", message: "the reply cannot be encoded: \(error)"))
        }
    }

    /// Adds what only the hub knows: who is there and what is on its way.
    private func complete(_ rows: [DurableConsumer]) -> [DurableConsumer] {
        var byName = Dictionary(rows.map { ($0.name, $0) }) { first, _ in first }
        for (name, topics) in EventDesk.builtIn {
            var row = byName[name] ?? DurableConsumer(name: name, topics: topics, builtIn: true)
            row.topics = topics
            row.builtIn = true
            byName[name] = row
        }
        return byName.values.map { row in
            var row = row
            row.connected = desk.lines[row.name]?.isJoined ?? false
            row.inFlight = desk.lines[row.name]?.inFlight ?? 0
            return row
        }.sorted { $0.name.rawValue < $1.name.rawValue }
    }
}
