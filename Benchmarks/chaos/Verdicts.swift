/// The books, held against each other.
extension Evidence {
    /// Who has to have the effect of an event, by the first word of its stream: the registry's consumers.
    private static let consumers: [Substring: [Role]] = [
        "workout": [.brain, .body], "batch": [.body], "player": [.brain],
    ]

    private static func consumers(of stream: String) -> [Role] {
        stream.split(separator: "-").first.flatMap { consumers[$0] } ?? []
    }

    /// An event is promised once its publishing has returned: then it is on the disk of its sender.
    var eventsLost: Verdict {
        var details: [String] = []
        var checked: UInt64 = 0
        for (stream, count) in promised.sorted(by: { $0.key < $1.key }) {
            for role in Self.consumers(of: stream) {
                let have = effects[role]?[stream] ?? [:]
                let missing = count == 0 ? [] : (1...count).filter { have[$0] == nil }
                checked += count
                if !missing.isEmpty {
                    details.append("\(role): \(missing.count) of \(count) of \(stream), the first is \(missing[0])")
                }
            }
        }
        return Verdict(
            claim: "No promised event is lost", isGood: details.isEmpty && checked > 0,
            facts: "\(checked) effects were owed", details: details)
    }

    var eventsTwice: Verdict {
        var details: [String] = []
        var count = 0
        for (role, streams) in effects {
            for (stream, numbers) in streams {
                count += numbers.count
                for (number, times) in numbers where times > 1 {
                    details.append("\(role): \(stream)-\(number) \(times) times")
                }
            }
        }
        let again = books.reduce(0) { $0 + ($1.drops["duplicate"] ?? 0) }
        return Verdict(
            claim: "No event has its effect twice", isGood: details.isEmpty,
            facts: "\(count) effects; \(again) messages came again and were recognised by the peers",
            details: details.sorted())
    }

    var statesEqual: Verdict {
        var truth: [String: String] = [:]
        for role in [Role.librarian, .context] { truth.merge(lastBooks(role)?.owned ?? [:]) { $1 } }
        var details: [String] = []
        for role in Role.readers + [.witness] {
            guard let states = lastBooks(role)?.states else {
                details.append("\(role) left no books")
                continue
            }
            for topic in Set(truth.keys).union(states.keys).sorted() where states[topic] != truth[topic] {
                details.append(
                    "\(role): \(topic) is \(states[topic] ?? "absent"), should be \(truth[topic] ?? "absent")")
            }
        }
        return Verdict(
            claim: "Every state is that of its owner at every reader, a late joiner too",
            isGood: details.isEmpty && !truth.isEmpty, facts: "\(truth.count) values at 3 readers", details: details)
    }

    /// For a living reader: what was published is what it handled, plus what it and the sender counted as lost. Exact for
    /// senders that began after the reader had joined and live to the end; of others the sum is bounded.
    var lossCounted: Verdict {
        var details: [String] = []
        var exact = 0
        var (sum, counted): (UInt64, UInt64) = (0, 0)
        for role in Role.readers {
            guard let reader = lastBooks(role), let joinedMs = reader.joinedMs else {
                details.append("\(role) left no books")
                continue
            }
            for (topic, published) in published.sorted(by: { $0.key < $1.key }) {
                guard let sender = books.last(where: { $0.published[topic] != nil }) else { continue }
                let heard = reader.heard[topic] ?? Books.Heard()
                let atReader = reader.lost[topic]?.values.reduce(0, +) ?? 0
                let atSender = sender.lost[topic]?.values.reduce(0, +) ?? 0
                let total = heard.count + atReader + atSender
                let text =
                    "\(role) of \(topic): \(heard.count) handled + \(atReader) lost here + \(atSender) not sent, "
                    + "\(published) published"
                if heard.misplaced > 0 {
                    details.append("\(role) of \(topic): \(heard.misplaced) out of order or twice")
                }
                if isLiving(sender), sender.beganMs > joinedMs {
                    exact += 1
                    sum += published
                    counted += atReader + atSender
                    if total != published { details.append(text) }
                } else if heard.count + atReader > published {
                    details.append("more than there was: " + text)
                }
            }
        }
        return Verdict(
            claim: "Counted loss is real loss", isGood: details.isEmpty && exact > 0,
            facts: "\(exact) streams exactly: \(sum) messages, \(counted) lost, all counted", details: details)
    }

    var nothingStale: Verdict {
        let stale = books.reduce(0) { $0 + $1.heard.values.reduce(0) { $0 + $1.stale } }
        let dropped = books.reduce(0) { $0 + ($1.drops["ttl"] ?? 0) }
        return Verdict(
            claim: "Nothing older than its topic allows reaches a service", isGood: stale == 0,
            facts: "\(stale) did; \(dropped) were dropped for their age")
    }

    var requestsAnswered: Verdict {
        let (asked, answered, wrong) = books.filter(\.isFinal).reduce((0 as UInt64, 0 as UInt64, 0 as UInt64)) {
            ($0.0 + $1.asked, $0.1 + $1.answered, $0.2 + $1.wrongAnswers)
        }
        var refused: [String: UInt64] = [:]
        for books in books where books.isFinal { refused.merge(books.refused) { $0 + $1 } }
        let closed = answered + refused.values.reduce(0, +)
        let causes = refused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return Verdict(
            claim: "Every question has one answer, the right one or a refusal by name",
            isGood: asked == closed && wrong == 0 && asked > 0,
            facts: "\(asked) asked, \(answered) answered, refused: \(causes.isEmpty ? "none" : causes)")
    }

    var memoryKept: Verdict {
        let judged = memory.compactMap { trail in trail.growthMBPerMinute.map { (trail, $0) } }
        let worst = judged.map(\.1).max() ?? 0
        let details = judged.filter { $0.1 > MemoryTrail.boundMBPerMinute }.map {
            "\($0.0.name) \($0.0.life) grew by \($0.1) MB a minute"
        }
        let facts =
            judged.isEmpty
            ? "no life was long enough to judge (\(Int(MemoryTrail.warmUpSeconds + MemoryTrail.leastSeconds)) s)"
            : "\(judged.count) lives of 3 min and more: at most \((worst * 1000).rounded() / 1000) MB a minute, "
                + "\(MemoryTrail.boundMBPerMinute) allowed"
        return Verdict(claim: "No process grows", isGood: details.isEmpty, facts: facts, details: details)
    }
}
