import Protocols

/// What the supervisor, the locks and the heartbeats tell.
extension Diagnosis {
    /// A clock that differs by more is named, seconds.
    static let clockLimit = 2.0
    /// Part of a bounded queue above which it is nearly full, and the bound of an outbox (`Outbox.eventLimit`).
    static let fullShare = 0.8
    static let outboxLimit = 100_000
    /// Drops that are no loss: what came twice, or was not wanted any more.
    private static let harmless: Set<String> = ["duplicate", "late-reply", "late-request", "retry", "not-joined"]

    mutating func judgeGivenUp(_ facts: HouseFacts) {
        for (name, known) in (facts.report?.processes ?? [:]).sorted(by: { $0.key < $1.key })
        where known.wanted == .givenUp {
            let how = known.lastExit.map { ", last by \(ProcessesView.how($0))" } ?? ""
            wrong(
                "process \(name)", "given up by the supervisor: \(known.reason ?? "it failed too often")\(how)",
                "its log says why it ends; then deploy/restart \(name)")
        }
    }

    /// A lock is held for as long as its process lives: who holds one and is not on the bus, hangs.
    mutating func judgeLocks(_ facts: HouseFacts) {
        for holder in facts.holders {
            if holder.process == .hub {
                guard facts.hubFailure != nil else { continue }
                wrong(
                    "hub", "runs as pid \(holder.pid) and does not answer: frozen, or the machine is overloaded",
                    facts.restart(.hub))
            } else if let table = facts.table, !table.processes.contains(where: { "\($0.pid)" == holder.pid }) {
                notice(
                    "process \(holder.process)", "runs as pid \(holder.pid) and is not on the bus",
                    "wait if it has just started; otherwise \(facts.restart(holder.process))")
            }
        }
    }

    /// Losses that grow, queues that fill, clocks that differ.
    mutating func judgeBeats(_ facts: HouseFacts) {
        var growing: [String] = []
        for (process, beats) in facts.beats.sorted(by: { $0.key < $1.key }) {
            guard let first = beats.first, let last = beats.last else { continue }
            for (cause, count) in last.beat.drops.sorted(by: { $0.key < $1.key })
            where !Self.harmless.contains(cause) && count > first.beat.drops[cause] ?? 0 && beats.count > 1 {
                growing.append("\(process) \(cause) (\(count))")
            }
            if let outbox = last.beat.queueDepths["outbox"],
                Double(outbox) > Double(Self.outboxLimit) * Self.fullShare
            {
                wrong(
                    "outbox", "\(process) keeps \(Wording.count(outbox, "event")) that nobody has taken",
                    "start the process that should take them: resonance info on the topic names it")
            }
            if let letters = last.beat.queueDepths["dead-letters"], letters > 0 {
                notice(
                    "dead letters", "\(Wording.count(letters, "event")) could not be handled",
                    "look at them: resonance dead-letters")
            }
            if abs(last.clockAheadSeconds) > Self.clockLimit {
                let word = last.clockAheadSeconds > 0 ? "ahead" : "behind"
                notice(
                    "clock", "\(process) is \(Wording.age(abs(last.clockAheadSeconds))) \(word) of this machine",
                    "set the clocks by NTP: timedatectl set-ntp true")
            }
        }
        if !growing.isEmpty {
            wrong(
                "losses", "grow at this moment: \(growing.joined(separator: ", "))",
                "a process is too slow or its line is bad: resonance ps, and its log")
        } else if !facts.beats.isEmpty {
            ok("losses", "none grows")
        }
    }
}
