import Foundation
import Protocols

/// The hub's kept values, read by topic.
struct KeptValues {
    private let values: [String: String]

    init(_ snapshot: SnapshotReply) {
        values = Dictionary(snapshot.values.map { ($0.topic, $0.json) }) { _, newer in newer }
    }

    /// The value of a topic; nil when there is none or it cannot be read.
    func value<Body: Message>(_ topic: Topic<Body>) -> Body? {
        (values[topic.name] ?? values[topic.spec.family]).flatMap {
            try? JSONDecoder().decode(Body.self, from: Data($0.utf8))
        }
    }
}
