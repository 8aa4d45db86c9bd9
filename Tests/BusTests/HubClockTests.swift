import Testing

@testable import Bus

/// The estimate of the hub's time, against a world whose true offset is known.
struct HubClockTests {
    private static let second: Int64 = 1_000_000_000
    private static let offset: Int64 = 12_345 * second
    private static let wallBase: Int64 = 1_700_000_000 * second

    /// One question and answer: `there` and `back` are the times on the way in ns.
    private func exchange(
        _ clock: inout HubClock, atNs: Int64, there: Int64, back: Int64, offset: Int64 = offset,
        wallBase: Int64 = wallBase
    ) {
        let hub = atNs + there + offset
        clock.note(
            sentNs: atNs, receivedNs: atNs + there + back,
            hub: Moment(wallNs: hub + wallBase, monotonicNs: hub))
    }

    @Test func `is unknown at first and says so by a monotonic time of 0`() {
        var clock = HubClock()
        #expect(!clock.isKnown)
        #expect(clock.translate(Moment(wallNs: 5, monotonicNs: 7)) == Moment(wallNs: 5, monotonicNs: 0))
    }

    @Test func `a wall clock that is off by five minutes plays no part`() {
        var clock = HubClock()
        for number in 1...3 { exchange(&clock, atNs: Int64(number) * Self.second, there: 1000, back: 1000) }
        let wrong = Moment(wallNs: 42, monotonicNs: 10 * Self.second)
        let hub = 10 * Self.second + Self.offset
        #expect(clock.translate(wrong) == Moment(wallNs: hub + Self.wallBase, monotonicNs: hub))
    }

    @Test func `the shortest round trip counts, and bounds the error`() {
        var clock = HubClock()
        // 200 ms there, nothing back: off by 100 ms; then a quick one.
        for number in 1...5 {
            exchange(&clock, atNs: Int64(number) * Self.second, there: 200_000_000, back: 0)
        }
        exchange(&clock, atNs: 6 * Self.second, there: 3_000_000, back: 1_000_000)
        let error = abs((clock.offsetNs ?? 0) - Self.offset)
        #expect(error == 1_000_000)
        #expect(error <= (clock.errorBoundNs ?? 0))
        exchange(&clock, atNs: 7 * Self.second, there: 0, back: 300_000_000)
        #expect(abs((clock.offsetNs ?? 0) - Self.offset) == 1_000_000)
    }

    @Test func `a better estimate never turns time back`() {
        var clock = HubClock()
        for number in 1...3 {
            exchange(&clock, atNs: Int64(number) * Self.second, there: 200_000_000, back: 0)
        }
        let before = clock.translate(Moment(wallNs: 0, monotonicNs: 4 * Self.second))
        exchange(&clock, atNs: 4 * Self.second, there: 1000, back: 1000)
        let after = clock.translate(Moment(wallNs: 0, monotonicNs: 4 * Self.second + 10_000))
        #expect(after.wallNs >= before.wallNs && after.monotonicNs >= before.monotonicNs)
        let later = clock.translate(Moment(wallNs: 0, monotonicNs: 5 * Self.second))
        #expect(later.monotonicNs == 5 * Self.second + Self.offset)
    }

    @Test func `a hub that was started anew on a machine that was, is followed at once`() {
        var clock = HubClock()
        for number in 1...5 { exchange(&clock, atNs: Int64(number) * Self.second, there: 1000, back: 1000) }
        exchange(&clock, atNs: 6 * Self.second, there: 5_000_000, back: 5_000_000, offset: -5 * Self.second)
        #expect(clock.offsetNs == -5 * Self.second)
    }

    @Test func `a wall clock of the hub that was set is followed`() {
        var clock = HubClock()
        for number in 1...3 { exchange(&clock, atNs: Int64(number) * Self.second, there: 1000, back: 1000) }
        _ = clock.translate(Moment(wallNs: 0, monotonicNs: 4 * Self.second))
        let set = Self.wallBase - 3600 * Self.second
        exchange(&clock, atNs: 5 * Self.second, there: 1000, back: 1000, wallBase: set)
        let hub = 6 * Self.second + Self.offset
        #expect(clock.translate(Moment(wallNs: 0, monotonicNs: 6 * Self.second)).wallNs == hub + set)
    }

    @Test func `answers that came too late say nothing`() {
        var clock = HubClock()
        for number in 1...5 {
            exchange(&clock, atNs: Int64(number) * 20 * Self.second, there: 6 * Self.second, back: 0)
        }
        #expect(!clock.isKnown)
    }
}
