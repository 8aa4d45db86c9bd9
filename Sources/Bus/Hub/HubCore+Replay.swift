import Protocols

/// Streams: where each stands, and what a reader missed.
extension HubCore {
    /// A publisher says, with its hello, what it has sent before: later readers are not owed that.
    mutating func declare(_ hello: PeerHello, epoch: UInt64, isKnown: Bool, now: Moment) {
        for (topic, sequence) in hello.sent ?? [:] {
            guard let spec = Registry.spec(of: topic), spec.deliveryClass == .live, sequence > 0,
                mayPublish(hello.process, spec, topic)
            else { continue }
            if lines[topic] == nil {
                lines[topic] = TopicLine(process: hello.process, heardNs: now.monotonicNs)
            }
            // Of a life that was here before, what is new has been lost on the way.
            lines[topic]?.noteStream(epoch, sequence) { isKnown ? 0 : sequence }
        }
    }

    /// Notes a message of a topic.
    ///
    /// - Returns: the place of its line.
    mutating func note(
        _ message: Received, from name: ProcessName, now: Moment
    ) -> Dictionary<String, TopicLine>.Index? {
        if lines.index(forKey: message.topic) == nil {
            lines[message.topic] = TopicLine(process: name, heardNs: now.monotonicNs)
        }
        guard let index = lines.index(forKey: message.topic) else { return nil }
        let header = message.header
        let saysWhatItSent = peers[name]?.epoch == header.epoch && peers[name]?.hello.sent != nil
        lines.values[index].note(header, from: name, nowNs: now.monotonicNs) {
            saysWhatItSent || header.sequence == 0 ? 0 : header.sequence - 1
        }
        return index
    }

    /// Where the streams of the wanted topics stand now, by topic.
    func positions(_ filter: TopicFilter, to route: Route) -> [StreamPosition] {
        var positions: [StreamPosition] = []
        for topic in lines.keys.sorted() where filter.subscriptions.isEmpty || filter.matches(topic) {
            guard let line = lines[topic], Registry.spec(of: topic)?.deliveryClass != .event else { continue }
            positions += line.streams.map { StreamPosition(topic: topic, epoch: $0.epoch, sequence: $0.last) }
        }
        for (topic, sequence) in sequences.sorted(by: { $0.key < $1.key })
        where filter.subscriptions.isEmpty || filter.matches(topic) {
            positions.append(StreamPosition(topic: topic, epoch: epoch, sequence: sequence))
        }
        return positions.filter { mayHear(route, $0.topic) }
    }

    /// Sends what is left of a gap to the one who missed it, and says when that was all.
    mutating func replay(_ message: Received, to route: Route) {
        let query: LiveReplay
        do {
            query = try message.decodeBody(LiveReplay.self)
        } catch {
            drop("bad-replay")
            return
        }
        let line = mayHear(route, query.topic) ? lines[query.topic] : nil
        if query.from <= query.to {
            for missed in line?.ring.messages(epoch: query.epoch, query.from...query.to) ?? [] {
                actions.append(.send(route, missed.with { $0.flags.insert(.redelivered) }))
            }
        }
        var end = ReplayEnd(base: 0)
        if query.epoch != epoch {
            // Of a stream that never passed here nothing is owed: its publisher may not speak on this topic.
            let stream = line?.stream(query.epoch)
            end.base = stream?.base ?? ReplayEnd.unknown
            end.bornMs = stream == nil ? nil : birth(of: query.epoch)
        }
        let body = (try? MessageCoding.encode(end)) ?? []
        actions.append(
            .send(
                route,
                .control(
                    ControlTopic.replayEnd, body: body, epoch: epoch, correlation: message.header.correlation,
                    hubEpoch: epoch)))
    }

    /// When a publisher's epoch began, in ms of this hub's clock; nil = not known.
    private func birth(of epoch: UInt64) -> Int64? {
        guard let name = senders[epoch], let peer = peers[name], peer.epoch == epoch, let age = peer.hello.ageMs
        else { return nil }
        return peer.startedNs / 1_000_000 - age
    }

    /// How long the hub speaks for a process that ended: some heartbeats, of which a reader may lose all but one.
    static var endedNs: Int64 { 5_000_000_000 }

    /// Takes down the last words of a process.
    mutating func noteEnd(of epoch: UInt64) {
        var positions: [StreamPosition] = []
        for (topic, line) in lines where Registry.spec(of: topic)?.deliveryClass == .live {
            guard let stream = line.stream(epoch), stream.last > 0 else { continue }
            positions.append(StreamPosition(topic: topic, epoch: epoch, sequence: stream.last))
        }
        guard !positions.isEmpty else { return }
        ended.append((lastTickNs + Self.endedNs, positions.sorted { $0.topic < $1.topic }))
    }
}
