import Foundation
import Protocols
import Testing

@testable import Bus

/// Many runs of a house in which everything goes wrong, each repeatable by its seed.
struct RandomFaultTests {
    private static let readers = ["brain", "body"]
    private static let stateTopics = [
        ("librarian", "library/revision/a"), ("librarian", "library/revision/b"),
        ("context-agent", "context/desktop/me"),
    ]

    /// `RESONANCE_FAULT_SEEDS=7-500` runs others than the few of every day.
    private static let seeds: ClosedRange<UInt64> = {
        let numbers = ProcessInfo.processInfo.environment["RESONANCE_FAULT_SEEDS"]?.split(separator: "-")
            .compactMap { UInt64($0) }
        guard let first = numbers?.first, let last = numbers?.last, first <= last else { return 1...12 }
        return first...last
    }()

    /// One run: random moves and faults, then calm.
    private func run(seed: UInt64, moves: Int, faults: Bool) -> SimulatedHouse {
        var house = SimulatedHouse(seed: seed)
        for name in Self.readers { house.start(name, ["bio/", "library/", "context/"]) }
        for name in ["sensor-emitter", "librarian", "context-agent"] { house.start(name) }
        var sinceRestart = 0
        for _ in 0..<moves {
            sinceRestart += 1
            let name = house.pick(house.members.keys.sorted())
            switch house.number(0...999) {
            case ..<150: house.publishLive("sensor-emitter", count: house.number(1...20))
            case ..<200:
                let (owner, topic) = house.pick(Self.stateTopics)
                house.publishState(owner, topic, isDeleted: house.number(0...5) == 0)
            case ..<450: for _ in 0..<house.number(1...40) { house.moveToHub(name) }
            case ..<650: for _ in 0..<house.number(1...40) { house.moveToPeer(name, direct: true) }
            case ..<870: for _ in 0..<house.number(1...40) { house.moveToPeer(name, direct: false) }
            case ..<960: house.pass(Int64(house.number(1...150)))
            case ..<980: house.connect(name)
            case ..<988 where faults: house.lose(house.pick(Self.readers))
            case ..<994 where faults: house.disconnect(name)
            case ..<996 where faults && sinceRestart > 400:
                sinceRestart = 0
                house.restartHub()
            case ..<998 where faults:
                house.kill(name)
                house.start(name, Self.readers.contains(name) ? ["bio/", "library/", "context/"] : [])
            default: break
            }
        }
        house.calm(seconds: 20)
        return house
    }

    /// What every reader must know in the end.
    private func check(_ house: SimulatedHouse, _ comment: Comment) {
        let sender = house.members["sensor-emitter"]
        // Each message either has a sequence or is counted by its sender.
        let refused = sender?.core.lost.values.reduce(0) { $0 + $1.values.reduce(0, +) } ?? 0
        #expect(UInt64(sender?.publishedLive ?? 0) == (sender?.sent.values.reduce(0, +) ?? 0) + refused, comment)
        for name in Self.readers {
            guard let reader = house.members[name] else { continue }
            for (topic, sent) in sender?.sent ?? [:] {
                let handled = reader.handled[topic] ?? []
                #expect(handled == Array(Set(handled)).sorted(), "\(comment): \(name) heard \(topic) out of order")
                let start = house.owedAfter(topic, from: "sensor-emitter", to: name)
                let early = handled.filter { $0 <= start }.count
                let lost = reader.core.lost[topic]?.values.reduce(0, +) ?? 0
                #expect(
                    UInt64(handled.count - early) + lost == sent - start,
                    "\(name) of \(topic): handled \(handled.first ?? 0)..., lost \(lost), owed after \(start); \(house.facts(name)); \(comment)"
                )
            }
            #expect(reader.core.repairs.isEmpty && reader.core.unsettled.isEmpty, comment)
            for (_, topic) in Self.stateTopics {
                let truth = house.truth[topic]
                let kept = house.hub.kept[topic]?.message.body
                #expect(reader.states[topic] == kept, "\(comment): \(name) of \(topic)")
                if let truth, house.members[truth.owner]?.core.ownStates[topic] != nil {
                    #expect(kept == truth.body, "\(comment): the hub of \(topic)")
                }
            }
        }
    }

    @Test func `without faults nothing is lost, whatever the order in which the lines move`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let house = run(seed: seed, moves: 1500, faults: false)
            check(house, "seed \(seed)")
            for name in Self.readers { #expect(house.members[name]?.core.lost.isEmpty == true, "seed \(seed)") }
        }
    }

    @Test func `whatever dies, breaks or is lost: counted loss is real loss, and every state ends equal`() {
        var lost: UInt64 = 0
        for seed in Self.seeds {
            let house = run(seed: seed, moves: 3000, faults: true)
            check(house, "seed \(seed): \(house.log)")
            for name in Self.readers {
                lost += house.members[name]?.core.lost.values.reduce(0) { $0 + $1.values.reduce(0, +) } ?? 0
            }
        }
        // The runs did test something.
        #expect(lost > 100)
    }
}
