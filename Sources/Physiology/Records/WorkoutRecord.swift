import Protocols

package enum Sport: String, Codable, Hashable, Sendable, CaseIterable {
    case cycling, running, swimming, rowing, walking, strength, other
}

/// One workout with what its device wrote of it.
package struct WorkoutRecord: Hashable, Codable, Sendable {
    package var start: Timestamp
    package var end: Timestamp
    package var sport: Sport
    /// Without pauses, s. A device's own duration, not end − start.
    package var movingSeconds: Double
    package var distanceM: Double?
    package var energyKcal: Double?
    package var meanBpm: Double?
    package var maximumBpm: Double?
    package var meanPowerW: Double?
    package var ascentM: Double?
    /// Session RPE, 0…10 (Foster).
    package var perceivedExertion: Double?
    /// The device's own load and what it thought the threshold was; shown beside ours, never used in place of it.
    package var deviceLoad: Double?
    package var title: String?
    package var source: String
    /// In the order of time; empty when only a summary exists.
    package var samples: [WorkoutSample]

    package init(
        start: Timestamp, end: Timestamp, sport: Sport, movingSeconds: Double, distanceM: Double? = nil,
        energyKcal: Double? = nil, meanBpm: Double? = nil, maximumBpm: Double? = nil, meanPowerW: Double? = nil,
        ascentM: Double? = nil, perceivedExertion: Double? = nil, deviceLoad: Double? = nil, title: String? = nil,
        source: String, samples: [WorkoutSample] = []
    ) {
        self.start = start
        self.end = end
        self.sport = sport
        self.movingSeconds = movingSeconds
        self.distanceM = distanceM
        self.energyKcal = energyKcal
        self.meanBpm = meanBpm
        self.maximumBpm = maximumBpm
        self.meanPowerW = meanPowerW
        self.ascentM = ascentM
        self.perceivedExertion = perceivedExertion
        self.deviceLoad = deviceLoad
        self.title = title
        self.source = source
        self.samples = samples
    }
}

/// A moment of a workout; what the device did not write is nil, never 0.
package struct WorkoutSample: Hashable, Codable, Sendable {
    package var at: Timestamp
    package var bpm: Double?
    package var powerW: Double?
    package var speedMps: Double?
    package var altitudeM: Double?
    /// Since the start, m.
    package var distanceM: Double?
    package var cadence: Double?

    package init(
        at: Timestamp, bpm: Double? = nil, powerW: Double? = nil, speedMps: Double? = nil, altitudeM: Double? = nil,
        distanceM: Double? = nil, cadence: Double? = nil
    ) {
        self.at = at
        self.bpm = bpm
        self.powerW = powerW
        self.speedMps = speedMps
        self.altitudeM = altitudeM
        self.distanceM = distanceM
        self.cadence = cadence
    }
}
