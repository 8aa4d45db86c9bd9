/// The hub's clocks as seen from another machine.
///
/// Four timestamps as in NTP (RFC 5905, section 8), of which the hub's two are one, since it answers at once: the offset
/// is the hub's time minus the middle between asking and hearing, and half the round trip bounds its error. Of the last
/// minute the sample with the shortest round trip counts. The hub's wall clock is read off against its own monotonic
/// clock, which no network disturbs; this machine's wall clock plays no part, whatever it shows.
struct HubClock: Sendable {
    private struct Sample: Sendable {
        let atNs: Int64
        let roundTripNs: Int64
        let offsetNs: Int64
    }

    /// Samples before the hub's time is known: the first may have waited behind a snapshot.
    static let neededSamples = 3
    static let windowNs: Int64 = 60_000_000_000
    static let sampleLimit = 64
    /// Below a second, at which the shell looks.
    static let intervalNs: Int64 = 900_000_000
    static let hurriedIntervalNs: Int64 = 50_000_000
    /// An answer that took longer says nothing.
    static let roundTripLimitNs: Int64 = 5_000_000_000
    /// Beyond what the round trips allow, offsets differ by this much only when a clock was set or a machine started anew.
    static let toleranceNs: Int64 = 50_000_000
    /// The hub's wall clock was set back by more than this: that is followed. Less is held until time has caught up.
    static let heldNs: Int64 = 1_000_000_000

    private var samples: [Sample] = []
    private var askedNs: Int64?
    /// Hub's monotonic minus ours; nil = not known yet.
    private(set) var offsetNs: Int64?
    /// Hub's wall minus hub's monotonic.
    private var wallBaseNs: Int64 = 0
    private var last = Moment(wallNs: 0, monotonicNs: 0)

    var isKnown: Bool { offsetNs != nil }

    var isLearning: Bool { samples.count < Self.neededSamples * 2 }

    /// Half the round trip of the sample that counts: the offset is not further off than this.
    var errorBoundNs: Int64? { best.map { $0.roundTripNs / 2 } }

    private var best: Sample? { samples.min { $0.roundTripNs < $1.roundTripNs } }

    /// Whether it is time to ask again; notes that it was done.
    mutating func shouldAsk(nowNs: Int64) -> Bool {
        let interval = isLearning ? Self.hurriedIntervalNs : Self.intervalNs
        if let askedNs, nowNs - askedNs < interval { return false }
        askedNs = nowNs
        return true
    }

    /// Notes an answer.
    ///
    /// - Parameters:
    ///   - sentNs: our monotonic time when we asked.
    ///   - receivedNs: our monotonic time when we heard.
    ///   - hub: the hub's clocks in between.
    mutating func note(sentNs: Int64, receivedNs: Int64, hub: Moment) {
        let roundTrip = receivedNs &- sentNs
        guard roundTrip >= 0, roundTrip <= Self.roundTripLimitNs, hub.monotonicNs > 0 else { return }
        let sample = Sample(
            atNs: receivedNs, roundTripNs: roundTrip, offsetNs: hub.monotonicNs &- (sentNs &+ roundTrip / 2))
        if let best {
            let possible = (best.roundTripNs + roundTrip) / 2 + Self.toleranceNs
            if abs(sample.offsetNs &- best.offsetNs) > possible { samples = [] }
        }
        samples.append(sample)
        samples.removeAll { receivedNs - $0.atNs > Self.windowNs }
        if samples.count > Self.sampleLimit { samples.removeFirst() }
        wallBaseNs = hub.wallNs &- hub.monotonicNs
        if offsetNs != nil || samples.count >= Self.neededSamples { offsetNs = best?.offsetNs }
    }

    /// The hub's time at a moment of ours; never before what it said last, but when a clock was really set back.
    ///
    /// Unknown as yet: our own wall time, and 0 for the monotonic time, which says so on the wire.
    mutating func translate(_ local: Moment) -> Moment {
        guard let offsetNs else { return Moment(wallNs: local.wallNs, monotonicNs: 0) }
        let monotonic = local.monotonicNs &+ offsetNs
        let wall = monotonic &+ wallBaseNs
        last.monotonicNs = Self.held(monotonic, last.monotonicNs)
        last.wallNs = Self.held(wall, last.wallNs)
        return last
    }

    private static func held(_ new: Int64, _ last: Int64) -> Int64 {
        new < last && last - new <= heldNs ? last : new
    }
}
