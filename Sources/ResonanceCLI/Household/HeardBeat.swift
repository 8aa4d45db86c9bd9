import Bus
import Protocols
import Synchronization

/// A heartbeat as it arrived.
struct HeardBeat: Sendable {
    var beat: Heartbeat
    /// How far the sender's clock is ahead of ours, seconds.
    var clockAheadSeconds: Double
}

extension Household {
    /// Heartbeats by process, until there are enough or the time is over.
    func beats(
        within limit: Duration, until isEnough: @escaping @Sendable ([String: [HeardBeat]]) -> Bool
    ) async -> [String: [HeardBeat]] {
        await withTaskGroup(of: [String: [HeardBeat]].self) { group in
            let collected = BeatCollection()
            group.addTask { [events] in
                for await event in events {
                    guard case .message(let message) = event, message.isOf(Registry.heartbeat),
                        let beat = try? message.decodeBody(Heartbeat.self)
                    else { continue }
                    let now = Moment.read()
                    let heard = HeardBeat(
                        beat: beat, clockAheadSeconds: Double(message.header.wallNs - now.wallNs) / 1e9)
                    if isEnough(collected.add(heard)) { break }
                }
                return collected.all
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return collected.all
            }
            defer { group.cancelAll() }
            return await group.next() ?? [:]
        }
    }
}

/// Heartbeats that two tasks may look at.
private final class BeatCollection: Sendable {
    private let beats = Mutex<[String: [HeardBeat]]>([:])

    var all: [String: [HeardBeat]] { beats.withLock { $0 } }

    func add(_ heard: HeardBeat) -> [String: [HeardBeat]] {
        beats.withLock { beats in
            beats[heard.beat.process.rawValue, default: []].append(heard)
            return beats
        }
    }
}
