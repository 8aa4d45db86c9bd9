import Protocols

/// What the hub knows of one topic: who speaks on it, up to where and how often, and the newest live messages.
struct TopicLine: Sendable {
    /// One life of a publisher on the topic.
    struct Stream: Sendable {
        let epoch: UInt64
        /// Where it stood when this hub first heard of it.
        let base: UInt64
        var last: UInt64
    }

    /// Lives that are remembered; the one heard longest ago is forgotten first.
    static let streamLimit = 16
    /// A rate is judged over this many periods, and over no less than 10 s.
    static let ratePeriods = 10.0
    /// Source of 0.8…1.2: openpilot's `freq_ok`.
    static let rateRange = 0.8...1.2

    var process: ProcessName
    var heardNs: Int64
    var ring = LiveRing()
    /// Heard last comes last.
    private(set) var streams: [Stream] = []
    /// As often as agreed; nil until that is known.
    private(set) var rateOk: Bool?
    private var isVirtual = false
    private var windowNs: Int64?
    private var windowCount = 0

    init(process: ProcessName, heardNs: Int64) {
        self.process = process
        self.heardNs = heardNs
    }

    /// Notes a message that the hub takes.
    ///
    /// - Parameter base: for the first one of a stream: where the stream stood before.
    mutating func note(_ header: Header, from name: ProcessName, nowNs: Int64, base: () -> UInt64) {
        process = name
        heardNs = nowNs
        windowCount += 1
        isVirtual = header.flags.contains(.virtualTime)
        noteStream(header.epoch, header.sequence, base: base)
    }

    /// Notes up to where a stream has come, by a message or by the word of its publisher.
    mutating func noteStream(_ epoch: UInt64, _ sequence: UInt64, base: () -> UInt64) {
        let end = streams.count - 1
        if end >= 0, streams[end].epoch == epoch {
            streams[end].last = max(streams[end].last, sequence)
            return
        }
        if let index = streams.firstIndex(where: { $0.epoch == epoch }) {
            streams[index].last = max(streams[index].last, sequence)
            streams.swapAt(index, end)
            return
        }
        if streams.count >= Self.streamLimit { streams.removeFirst() }
        streams.append(Stream(epoch: epoch, base: base(), last: sequence))
    }

    func stream(_ epoch: UInt64) -> Stream? { streams.last { $0.epoch == epoch } }

    /// Judges the rate when a window is over.
    ///
    /// - Parameters:
    ///   - period: agreed seconds between two messages; nil when they are no rate, or nobody is expected to speak.
    mutating func judgeRate(period: Double?, nowNs: Int64) {
        guard let period, !isVirtual else {
            rateOk = nil
            windowNs = nil
            return
        }
        guard let windowNs else {
            self.windowNs = nowNs
            windowCount = 0
            return
        }
        let seconds = Double(nowNs - windowNs) / 1e9
        guard seconds >= max(10, period * Self.ratePeriods) else { return }
        rateOk = Self.rateRange.contains(Double(windowCount) * period / seconds)
        self.windowNs = nowNs
        windowCount = 0
    }
}
