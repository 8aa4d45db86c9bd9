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
    mutating func replay(_ message: Received, to route: Route, now: Moment) {
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
        // Of a stream that never passed here, nothing is owed: its publisher may not speak on this topic.
        let base = query.epoch == epoch ? 0 : line?.stream(query.epoch)?.base ?? query.to
        let end = ReplayEnd(base: base, ageMs: age(of: query.epoch, now: now))
        let body = (try? MessageCoding.encode(end)) ?? []
        actions.append(
            .send(
                route,
                .control(
                    ControlTopic.replayEnd, body: body, epoch: epoch, correlation: message.header.correlation,
                    hubEpoch: epoch)))
    }

    /// How long a publisher's epoch has lasted, in ms; nil = not known.
    private func age(of epoch: UInt64, now: Moment) -> Int64? {
        guard let name = senders[epoch], let peer = peers[name], peer.epoch == epoch, let age = peer.hello.ageMs
        else { return nil }
        return age + (now.monotonicNs - peer.startedNs) / 1_000_000
    }
}
