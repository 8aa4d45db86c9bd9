import Foundation
import Protocols

/// Where a figure of the morning comes from. Figures of different origin are never compared with one another.
package enum SignalSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// HRV or heart rate over the night.
    case night
    /// Read on purpose after waking.
    case morning
    /// A device's own resting heart rate of the day.
    case device
    /// A watch's odd minutes while it was night.
    case spot
    /// The same where only SDNN is known; ln SDNN.
    case spotSdnn
}

/// What one local day's body said, by origin.
package struct DaySignals: Hashable, Codable, Sendable {
    package var day: Int
    /// ln of RMSSD in ms (of SDNN for ``SignalSource/spotSdnn``).
    package var lnVariability: [SignalSource: Double]
    /// Beats per minute.
    package var restingBpm: [SignalSource: Double]
    /// Of the night that ended on this day.
    package var asleepMinutes: Double?

    package init(
        day: Int, lnVariability: [SignalSource: Double] = [:], restingBpm: [SignalSource: Double] = [:],
        asleepMinutes: Double? = nil
    ) {
        self.day = day
        self.lnVariability = lnVariability
        self.restingBpm = restingBpm
        self.asleepMinutes = asleepMinutes
    }

    /// Local hours whose odd minutes count as night.
    package static let spotHours = 0..<8

    /// Days of readings and resting heart rates, whatever the order in which they were imported.
    ///
    /// - A day's figure is the median of its readings of one origin.
    /// - Of several resting heart rates of a day the one created last counts; a morning reading's mean heart rate is a
    ///   figure of its own.
    /// - Parameters:
    ///   - variability: readings; a night counts for the day on which it ends.
    ///   - asleepMinutes: by the day on which the night ended.
    /// - Returns: days with anything at all, ascending.
    package static func days(
        variability: [VariabilityRecord], resting: [RestingRecord], asleepMinutes: [Int: Double] = [:],
        clock: TravelClock
    ) -> [DaySignals] {
        var collected: [Int: Collected] = [:]
        for reading in variability {
            guard let (source, value) = figure(reading, clock) else { continue }
            let day = clock.day(of: reading.end)
            collected[day, default: Collected()].variability[source, default: []].append(value)
            if reading.kind == .morning, let bpm = reading.bpm, possibleBpm.contains(bpm) {
                collected[day, default: Collected()].resting[.morning, default: []].append(bpm)
            }
        }
        for record in resting where possibleBpm.contains(record.bpm) {
            collected[clock.day(of: record.at), default: Collected()].device.append(record)
        }
        for (day, minutes) in asleepMinutes { collected[day, default: Collected()].asleepMinutes = minutes }
        return collected.map { day, one in
            var resting = one.resting.compactMapValues { median(of: $0) }
            let newest = one.device.max {
                ($0.createdAt, $0.at, $0.bpm, $0.source) < ($1.createdAt, $1.at, $1.bpm, $1.source)
            }
            if let newest { resting[.device] = newest.bpm }
            return DaySignals(
                day: day, lnVariability: one.variability.compactMapValues { median(of: $0) }, restingBpm: resting,
                asleepMinutes: one.asleepMinutes)
        }.sorted { $0.day < $1.day }
    }

    static let possibleBpm = 20.0...150.0
    static let possibleMs = 1.0...500.0

    private struct Collected {
        var variability: [SignalSource: [Double]] = [:]
        var resting: [SignalSource: [Double]] = [:]
        var device: [RestingRecord] = []
        var asleepMinutes: Double?
    }

    private static func figure(_ reading: VariabilityRecord, _ clock: TravelClock) -> (SignalSource, Double)? {
        let rmssd = reading.rebuiltRmssdMs ?? reading.rmssdMs
        if let rmssd, possibleMs.contains(rmssd) {
            switch reading.kind {
            case .night: return (.night, log(rmssd))
            case .morning: return (.morning, log(rmssd))
            case .spot: return isNight(reading, clock) ? (.spot, log(rmssd)) : nil
            case .activity: return nil
            }
        }
        guard let sdnn = reading.rebuiltSdnnMs ?? reading.sdnnMs, possibleMs.contains(sdnn), reading.kind == .spot,
            isNight(reading, clock)
        else { return nil }
        return (.spotSdnn, log(sdnn))
    }

    private static func isNight(_ reading: VariabilityRecord, _ clock: TravelClock) -> Bool {
        spotHours.contains(clock.clock(at: reading.end).hour(of: reading.end))
    }
}
