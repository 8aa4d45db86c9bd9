import Foundation
import Protocols

/// Local hours and days of the listener, right across summer time.
package struct LocalClock: Hashable, Codable, Sendable {
    package var timeZone: TimeZone

    package init(timeZone: TimeZone) { self.timeZone = timeZone }

    private func localMilliseconds(_ at: Timestamp) -> Int64 {
        at.milliseconds + Int64(timeZone.secondsFromGMT(for: at.date)) * 1000
    }

    /// 0…23.
    package func hour(of at: Timestamp) -> Int { minuteOfDay(of: at) / 60 }

    /// 0…1439.
    package func minuteOfDay(of at: Timestamp) -> Int {
        let local = localMilliseconds(at)
        return Int((local - Self.floorDay(local) * Self.dayMilliseconds) / 60_000)
    }

    /// Number of the local calendar day, counted from 1970-01-01.
    package func day(of at: Timestamp) -> Int { Int(Self.floorDay(localMilliseconds(at))) }

    /// Number of the night: the day on which it ends, where nights change at local noon.
    package func night(of at: Timestamp) -> Int {
        Int(Self.floorDay(localMilliseconds(at) + Self.dayMilliseconds / 2))
    }

    /// First moment of a local day, also where summer time begins at midnight.
    package func start(ofDay day: Int) -> Timestamp {
        let noon = Timestamp(milliseconds: Int64(day) * Self.dayMilliseconds + Self.dayMilliseconds / 2)
        // Offsets of zones lie within ±14 h, so this moment is on that day or beside it.
        var begin = Timestamp(milliseconds: noon.milliseconds - Int64(timeZone.secondsFromGMT(for: noon.date)) * 1000)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        begin = Timestamp(calendar.startOfDay(for: begin.date))
        return begin
    }

    private static let dayMilliseconds: Int64 = 86_400_000

    private static func floorDay(_ milliseconds: Int64) -> Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: dayMilliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
