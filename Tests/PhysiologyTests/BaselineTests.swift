import Foundation
import Physiology
import Protocols
import Testing

struct BaselineTests {
    /// 2026-03-03T00:00:00Z.
    static let midnight = Timestamp(milliseconds: 1_772_496_000_000)
    static let clock = LocalClock(timeZone: .gmt)

    /// Still minutes of the small hours (00–06) of one day, `bpm` with two half hours below.
    static func night(_ day: Int, bpm: Double, lnRmssd: Double) -> [StillMinute] {
        (0..<360).map { minute in
            StillMinute(
                at: midnight.adding(seconds: Double(day) * 86_400 + Double(minute) * 60),
                bpm: (180..<210).contains(minute) ? bpm - 6 : bpm, lnRmssd: lnRmssd, sdnnMs: 60)
        }
    }

    @Test func `nights enter as n over n plus seven and today is left out`() throws {
        let minutes = (-20...0).flatMap { Self.night($0, bpm: 56, lnRmssd: 4) }
        let builder = BaselineBuilder(profile: Profile(usualRmssdMs: 30), clock: Self.clock)
        let baseline = builder.baseline(at: Self.midnight.adding(seconds: 8 * 3600), minutes: minutes)
        #expect(baseline.nights == 20)
        let lnRmssd: Double = (20 * 4 + 7 * log(30)) / 27
        #expect(abs(try #require(baseline.lnRmssdMean) - lnRmssd) < 1e-9)
        // 20 days of 360 min; today does not count any more.
        #expect(baseline.stillMinutes == 7200)
        // The lowest half hour of each day is 50; 20 of 27 parts are the person's own.
        let resting: Double = (20 * 50 + 7 * (baseline.stillBpmMean - 8)) / 27
        #expect(abs(baseline.restingBpm - resting) < 1e-9)
    }

    @Test func `nothing known gives a usable scale with doubt`() {
        let baseline = BaselineBuilder(profile: Profile(), clock: Self.clock).baseline(at: Self.midnight, minutes: [])
        // √(7² + 10²): the spread of a person and of people.
        #expect(abs(baseline.stillBpmSd - 149.0.squareRoot()) < 1e-12)
        #expect(baseline.stillBpmByHour.allSatisfy { $0 == nil })
        #expect(HeartScale(baseline: baseline).arousal(bpm: baseline.stillBpmMean) > 0.25)
    }

    @Test func `a week below the usual range is seen from fourteen nights on`() {
        func nights(_ count: Int, last: Double) -> [Night] {
            (0..<count).map { index in
                let value = index >= count - 7 ? last : 4 + (index % 2 == 0 ? 0.1 : -0.1)
                return Night(night: index, lnRmssd: value, sdnnMs: nil, bpm: 55)
            }
        }
        #expect(NightlyTrend.of(nights(40, last: 3.7), latest: 39) == .below)
        #expect(NightlyTrend.of(nights(40, last: 4.0), latest: 39) == .within)
        #expect(NightlyTrend.of(nights(40, last: 4.3), latest: 39) == .above)
        #expect(NightlyTrend.of(nights(14, last: 3.7), latest: 13) == .notEnoughData)
    }

    @Test func `local hours follow summer time`() throws {
        let clock = LocalClock(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
        // 2026-03-29 01:00 UTC is 03:00 in Berlin, one second before it was 01:59:59.
        let change = Timestamp(milliseconds: 1_774_746_000_000)
        #expect(clock.hour(of: change) == 3)
        #expect(clock.hour(of: change.adding(seconds: -1)) == 1)
        #expect(clock.day(of: change) == clock.day(of: change.adding(seconds: 20 * 3600)))
        #expect(clock.night(of: change.adding(seconds: -7 * 3600)) == clock.night(of: change))
        #expect(LocalClock(timeZone: .gmt).day(of: Timestamp(milliseconds: -1)) == -1)
    }

    @Test func `robust statistics have a floor and a true median`() {
        #expect(median(of: [4, 1, 3, 2]) == 2.5)
        // MAD 0 becomes 1 bpm: 0.6745 · 3.
        #expect(abs((robustZ(of: 58, in: [55, 55, 55, 55], floor: 1) ?? 0) - 2.0234694) < 1e-6)
        #expect(robustZ(of: 58, in: [Double](), floor: 1) == nil)
    }
}
