import Protocols

/// Where the levels of one person change.
package struct StressCutPoints: Hashable, Codable, Sendable {
    /// Four ascending z.
    package var values: [Double]
    /// True from 14 days on.
    package var isPersonal: Bool

    package static let common = StressCutPoints(values: StressScale.cutPoints, isPersonal: false)
    /// Days before today that count, as for every baseline.
    package static let windowDays = BaselineBuilder.windowDays

    package init(values: [Double], isPersonal: Bool) {
        self.values = values
        self.isPersonal = isPersonal
    }

    /// The person's own 30/75/92/98 % points of still moments of the 60 days before today; the common ones below 14 days.
    ///
    /// Measured and automatic readings alone count: one that was asked for is asked for when something is up.
    package init(readings: [StressReading], at now: Timestamp, clock: LocalClock) {
        let today = clock.day(of: now)
        let counted = readings.filter {
            (today - Self.windowDays..<today).contains(clock.day(of: $0.at)) && $0.isMeasured
                && ($0.source?.value ?? .automatic) == .automatic
        }
        let values = counted.compactMap(\.z)
        let points = StressScale.personalCutPoints(
            of: values, days: Set(counted.map { clock.day(of: $0.at) }).count)
        // A person whose z never moves has no points of their own.
        guard points != StressScale.cutPoints, zip(points, points.dropFirst()).allSatisfy({ $0 < $1 }) else {
            self = .common
            return
        }
        self.init(values: points, isPersonal: true)
    }
}

extension StressReading {
    /// A level of a still minute, not gated and not held over from before.
    package var isMeasured: Bool { gate == StressGate.none && isHeld != true && level?.value != nil }
}
