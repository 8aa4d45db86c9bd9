import Protocols

/// What is worth keeping of a workout's samples: enough for its load, zones and heart's answer under any thresholds.
///
/// Computed once when a workout arrives, so that new thresholds recompute years of load without the samples.
package struct WorkoutFigures: Hashable, Codable, Sendable {
    package var start: Timestamp
    package var end: Timestamp
    package var sport: Sport
    package var source: String
    /// Without pauses, s.
    package var movingSeconds: Double
    package var distanceM: Double?
    /// Pauses in the recording, and the longest one in s.
    package var gaps: Int
    package var longestGapSeconds: Double
    /// Session RPE, 0…10.
    package var perceivedExertion: Double?
    /// What the device itself thought of the load; shown, never used.
    package var deviceLoad: Double?

    package var heart: Heart?
    package var power: Power?
    package var speed: Speed?
    /// Means of 5 min in which both the heart and an effort are known, oldest first.
    package var blocks: [Block]

    package struct Heart: Hashable, Codable, Sendable {
        /// Seconds at each whole number of beats per minute, from 0.
        package var secondsByBpm: [Double]
        package var seconds: Double
        package var meanBpm: Double
        package var maximumBpm: Double
        /// True when only the mean was known.
        package var isMeanOnly: Bool
    }

    package struct Power: Hashable, Codable, Sendable {
        /// Seconds at each whole watt, from 0; what is above ``WorkoutFigures/greatestWatt`` counts there.
        package var secondsByWatt: [Double]
        package var seconds: Double
        package var meanW: Double
        /// nil when no stretch fills a window of 30 s.
        package var weightedW: Double?
        package var maximumW: Double
        /// Seconds that complete windows of 30 s cover.
        package var windowSeconds: Double
    }

    package struct Speed: Hashable, Codable, Sendable {
        /// Seconds at each ``WorkoutFigures/speedBin`` of speed on the flat, from 0.
        package var secondsByBin: [Double]
        package var seconds: Double
        package var meanMps: Double
        /// Weighted like power, of speeds on the flat that cost the same; nil without a full window.
        package var weightedGradedMps: Double?
        /// True when altitudes were known.
        package var isGraded: Bool
    }

    /// Five minutes.
    package struct Block: Hashable, Codable, Sendable {
        /// Seconds behind it.
        package var seconds: Double
        package var bpm: Double
        /// W, or m/s on the flat for a run.
        package var effort: Double
    }

    package static let greatestWatt = 2500
    /// m/s.
    package static let speedBin = 0.05
    /// m/s; nobody runs faster.
    package static let greatestSpeed = 15.0
    /// Seconds of a block, and how many of them must be known.
    package static let blockSeconds: Int64 = 300
    package static let blockMinimumSeconds = 240.0
    /// Heart rates that no heart has are left out.
    package static let possibleBpm = 20.0...260.0
    package static let possibleWatts = 0.0...5000.0

    package init(_ workout: WorkoutRecord) {
        start = workout.start
        end = workout.end
        sport = workout.sport
        source = workout.source
        distanceM = workout.distanceM
        perceivedExertion = workout.perceivedExertion
        deviceLoad = workout.deviceLoad
        let times = workout.samples.map(\.at).sorted()
        let limit = SecondSeries.gap(of: times)
        let pauses = zip(times.dropFirst(), times).map { $0.seconds(since: $1) }.filter { $0 > limit }
        gaps = pauses.count
        longestGapSeconds = pauses.max() ?? 0
        let hearts = SecondSeries(
            workout.samples.compactMap { sample in
                sample.bpm.flatMap { Self.possibleBpm.contains($0) ? (at: sample.at, value: $0) : nil }
            })
        let powers = Self.powers(workout.samples)
        let speeds = workout.sport == .running ? Self.speeds(workout.samples) : (SecondSeries(stretches: []), false)
        let recorded = Double(max(hearts.seconds, powers.seconds, speeds.0.seconds))
        let moving = workout.movingSeconds > 0 ? workout.movingSeconds : recorded
        movingSeconds = moving
        heart =
            Heart(hearts)
            ?? workout.meanBpm.flatMap { Heart(mean: $0, seconds: moving, maximum: workout.maximumBpm) }
        power = Power(powers)
        speed = Speed(speeds.0, isGraded: speeds.1)
        blocks = Self.blocks(hearts, effort: workout.sport == .running ? speeds.0 : powers)
    }

    /// Power second by second. A record that says other things but no power is one of 0 W, as head units see it; unless the
    /// device writes power at other moments than the rest.
    private static func powers(_ samples: [WorkoutSample]) -> SecondSeries {
        let known = samples.compactMap { sample in
            sample.powerW.flatMap { possibleWatts.contains($0) ? (at: sample.at, value: $0) : nil }
        }.sorted { $0.at < $1.at }
        guard known.count > 1 else { return SecondSeries(stretches: []) }
        let usual = max(median(of: zip(known.dropFirst(), known).map { $0.at.seconds(since: $1.at) }) ?? 1, 1)
        var all = known
        var next = 0
        for sample in samples.sorted(by: { $0.at < $1.at }) where sample.powerW == nil {
            while next < known.count, known[next].at < sample.at { next += 1 }
            let before = next > 0 ? sample.at.seconds(since: known[next - 1].at) : .infinity
            let after = next < known.count ? known[next].at.seconds(since: sample.at) : .infinity
            if min(before, after) >= usual { all.append((sample.at, 0)) }
        }
        return SecondSeries(all)
    }

    /// Speeds on the flat; speed from the distance where a device writes only that.
    private static func speeds(_ samples: [WorkoutSample]) -> (SecondSeries, Bool) {
        let sorted = samples.sorted { $0.at < $1.at }
        var moments: [(at: Timestamp, speed: Double, altitude: Double?)] = []
        if sorted.contains(where: { $0.speedMps != nil }) {
            moments = sorted.compactMap { sample in sample.speedMps.map { (sample.at, $0, sample.altitudeM) } }
        } else {
            let far = sorted.filter { $0.distanceM != nil }
            for (later, earlier) in zip(far.dropFirst(), far) {
                let seconds = later.at.seconds(since: earlier.at)
                guard seconds > 0, let to = later.distanceM, let from = earlier.distanceM, to >= from else { continue }
                moments.append((later.at, (to - from) / seconds, later.altitudeM))
            }
        }
        moments = moments.filter { (0...greatestSpeed).contains($0.speed) }
        let flat = SecondSeries(moments.map { ($0.at, $0.speed) })
        guard var altitude = moments.lazy.compactMap(\.altitude).first else { return (flat, false) }
        let altitudes = moments.map { moment in
            altitude = moment.altitude ?? altitude
            return (at: moment.at, value: altitude)
        }
        return (GradedSpeed.series(speeds: flat, altitudes: SecondSeries(altitudes)), true)
    }

    private static func blocks(_ hearts: SecondSeries, effort: SecondSeries) -> [Block] {
        guard hearts.seconds > 0, effort.seconds > 0 else { return [] }
        var bpm: [Int64: Double] = [:]
        bpm.reserveCapacity(hearts.seconds)
        hearts.forEachSecond { bpm[$0] = $1 }
        var sums: [Int64: Block] = [:]
        var first: Int64?
        effort.forEachSecond { second, value in
            first = first ?? second
            guard let heart = bpm[second], let first else { return }
            sums[(second - first) / blockSeconds, default: Block(seconds: 0, bpm: 0, effort: 0)].add(heart, value)
        }
        return sums.sorted { $0.key < $1.key }.map(\.value).filter { $0.seconds >= blockMinimumSeconds }.map {
            Block(seconds: $0.seconds, bpm: $0.bpm / $0.seconds, effort: $0.effort / $0.seconds)
        }
    }
}

extension WorkoutFigures.Block {
    fileprivate mutating func add(_ heart: Double, _ value: Double) {
        seconds += 1
        bpm += heart
        effort += value
    }
}

extension WorkoutFigures.Heart {
    init?(_ series: SecondSeries) {
        let values = series.stretches.flatMap { $0 }
        guard let highest = values.max(), let mean = Physiology.mean(of: values) else { return nil }
        secondsByBpm = Array(repeating: 0, count: Int(highest.rounded()) + 1)
        for value in values { secondsByBpm[Int(value.rounded())] += 1 }
        seconds = Double(values.count)
        meanBpm = mean
        maximumBpm = highest
        isMeanOnly = false
    }

    init?(mean: Double, seconds: Double, maximum: Double?) {
        guard WorkoutFigures.possibleBpm.contains(mean), seconds > 0 else { return nil }
        secondsByBpm = Array(repeating: 0, count: Int(mean.rounded())) + [seconds]
        self.seconds = seconds
        meanBpm = mean
        maximumBpm = maximum ?? mean
        isMeanOnly = true
    }
}

extension WorkoutFigures.Power {
    init?(_ series: SecondSeries) {
        let values = series.stretches.flatMap { $0 }
        guard let highest = values.max(), highest > 0, let mean = Physiology.mean(of: values) else { return nil }
        let last = min(Int(highest.rounded()), WorkoutFigures.greatestWatt)
        secondsByWatt = Array(repeating: 0, count: last + 1)
        for value in values { secondsByWatt[min(Int(value.rounded()), last)] += 1 }
        seconds = Double(values.count)
        meanW = mean
        weightedW = WeightedPower.value(of: series)
        maximumW = highest
        windowSeconds = Double(series.completeWindowMeans(length: WeightedPower.window).count)
    }
}

extension WorkoutFigures.Speed {
    init?(_ series: SecondSeries, isGraded: Bool) {
        let values = series.stretches.flatMap { $0 }
        guard let highest = values.max(), highest > 0, let mean = Physiology.mean(of: values) else { return nil }
        let last = Int((min(highest, WorkoutFigures.greatestSpeed) / WorkoutFigures.speedBin).rounded())
        secondsByBin = Array(repeating: 0, count: last + 1)
        for value in values {
            secondsByBin[min(Int((max(value, 0) / WorkoutFigures.speedBin).rounded()), last)] += 1
        }
        seconds = Double(values.count)
        meanMps = mean
        weightedGradedMps = WeightedPower.value(of: series)
        self.isGraded = isGraded
    }
}
