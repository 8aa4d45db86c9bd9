/// Rate, jitter and size of the messages of one topic, from the times at which they arrived.
struct RateMeter {
    /// What was seen since the start, or in the last messages of a window.
    struct Summary: Encodable, Equatable {
        var topic: String
        /// All messages since the start.
        var messages: Int
        /// Messages per second; absent before the second message.
        var hz: Double?
        /// Shortest, longest and standard deviation of the time between two messages, seconds.
        var minSeconds: Double?
        var maxSeconds: Double?
        var deviationSeconds: Double?
        var bytesPerSecond: Double?
        /// Size of a message on the wire: topic, header and body.
        var minBytes: Int?
        var meanBytes: Double?
        var maxBytes: Int?
    }

    let topic: String
    /// Messages that the figures are of; older ones leave.
    let window: Int
    private var arrivals: [(ns: Int64, bytes: Int)] = []
    private var count = 0

    init(topic: String, window: Int) {
        self.topic = topic
        self.window = max(2, window)
    }

    /// - Parameter ns: time of arrival on a clock that only moves forward, nanoseconds.
    mutating func add(ns: Int64, bytes: Int) {
        count += 1
        arrivals.append((ns, bytes))
        if arrivals.count > window { arrivals.removeFirst(arrivals.count - window) }
    }

    var summary: Summary {
        var summary = Summary(topic: topic, messages: count)
        guard let first = arrivals.first, let last = arrivals.last else { return summary }
        let sizes = arrivals.map(\.bytes)
        summary.minBytes = sizes.min()
        summary.maxBytes = sizes.max()
        summary.meanBytes = Double(sizes.reduce(0, +)) / Double(sizes.count)
        let span = Double(last.ns - first.ns) / 1e9
        guard arrivals.count > 1, span > 0 else { return summary }
        let gaps = zip(arrivals.dropFirst(), arrivals).map { Double($0.ns - $1.ns) / 1e9 }
        let mean = span / Double(gaps.count)
        summary.hz = 1 / mean
        summary.minSeconds = gaps.min()
        summary.maxSeconds = gaps.max()
        let squares = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        summary.deviationSeconds = (squares / Double(gaps.count)).squareRoot()
        // The first message opens the span; its bytes came before it.
        summary.bytesPerSecond = Double(sizes.dropFirst().reduce(0, +)) / span
        return summary
    }
}
