import Protocols

/// Questions by process name.
extension HubCore {
    /// Open questions that the hub remembers, to refuse them when the asked process ends.
    static var questionLimit: Int { 10_000 }

    mutating func request(_ message: Received, from name: ProcessName, route: Route, now: Moment) {
        guard let (process, question) = ControlTopic.parts(message.topic) else {
            drop("bad-request")
            return
        }
        learn(message.header.epoch, name)
        let target = ProcessName(rawValue: process)
        let id = message.header.correlation
        if target == .hub {
            questions[id] = Question(asker: route, target: .hub, name: question, correlation: id)
            answer(question, message, now: now)
            return
        }
        guard let holder = holders[target], let peer = peers[holder], peer.connected else {
            questions[id] = Question(asker: route, target: target, name: question, correlation: id)
            refuse(
                id, Refusal(code: "unknown-process", message: "no process answers to \(target): is it running?"))
            return
        }
        if questions.count < Self.questionLimit {
            questions[id] = Question(asker: route, target: holder, name: question, correlation: id)
        }
        let header = stamp(message).header
        actions.append(
            .send(
                peer.route,
                Received(
                    topic: ControlTopic.request(name.rawValue, question), header: header, body: message.body)))
    }

    mutating func reply(_ message: Received, from name: ProcessName) {
        guard let (process, question) = ControlTopic.parts(message.topic) else {
            drop("bad-reply")
            return
        }
        questions[message.header.correlation] = nil
        guard let holder = holders[ProcessName(rawValue: process)], let peer = peers[holder], peer.connected else {
            drop("reply-nobody")
            return
        }
        let header = stamp(message).header
        actions.append(
            .send(
                peer.route,
                Received(topic: ControlTopic.reply(name.rawValue, question), header: header, body: message.body)))
    }

    /// Answers a question in the name of the hub.
    mutating func respond(_ id: UInt64, _ body: [UInt8], flags: Header.Flags) {
        guard let question = questions.removeValue(forKey: id) else { return }
        let message = Received(
            topic: ControlTopic.reply(ProcessName.hub.rawValue, question.name),
            header: Header(
                deliveryClass: .reply, schema: SchemaVersion(major: 1, minor: 0), flags: flags, epoch: epoch,
                sequence: 0, wallNs: 0, monotonicNs: 0, correlation: question.correlation),
            body: body)
        actions.append(.send(question.asker, stamp(message)))
    }

    mutating func refuse(_ id: UInt64, _ refusal: Refusal) {
        respond(id, (try? MessageCoding.encode(refusal)) ?? [], flags: .refused)
    }

    private mutating func answer(_ name: String, _ message: Received, now: Moment) {
        let id = message.header.correlation
        do {
            switch name {
            case HubSnapshot.name:
                let query = try message.decodeBody(HubSnapshot.self)
                let asker = questions[id]?.asker ?? []
                respond(id, try MessageCoding.encode(snapshotReply(query, to: asker)), flags: [])
            case ReloadKeys.name:
                actions.append(.reloadKeys)
                let note = isOpenToOthers ? nil : "the hub listens to this machine alone: start it with --listen"
                respond(id, try MessageCoding.encode(Done(note: note)), flags: [])
            case HubPeers.name:
                respond(id, try MessageCoding.encode(processTable(now: now)), flags: [])
            default:
                if try askSpool(name, message, now: now) { return }
                refuse(id, Refusal(code: "unknown-request", message: "the hub does not know the request \(name)"))
            }
        } catch let refusal as Refusal {
            refuse(id, refusal)
        } catch {
            refuse(id, Refusal(code: "invalid", message: "request \(name): \(error)"))
        }
    }

    private func snapshotReply(_ query: HubSnapshot, to asker: Route) -> SnapshotReply {
        let filter = TopicFilter(query.prefixes)
        let values = kept.keys.sorted().compactMap { topic -> Retained? in
            guard query.prefixes.isEmpty || filter.matches(topic), mayHear(asker, topic),
                let message = kept[topic]?.message
            else {
                return nil
            }
            return Retained(
                topic: topic, epoch: message.header.epoch, sequence: message.header.sequence,
                schema: message.header.schema, sentAt: message.sentAt,
                json: String(decoding: message.body, as: UTF8.self))
        }
        return SnapshotReply(hubEpoch: epoch, hubSequence: hubSequence, values: values)
    }
}
