import Foundation
import Protocols

/// What was measured in one minute that counts as still.
package struct StillMinute: Hashable, Codable, Sendable {
    /// Begin of the minute.
    package var at: Timestamp
    /// Mean of the minute.
    package var bpm: Double
    /// ln of RMSSD in ms, where the beats were good enough.
    package var lnRmssd: Double?
    package var sdnnMs: Double?

    package init(at: Timestamp, bpm: Double, lnRmssd: Double? = nil, sdnnMs: Double? = nil) {
        self.at = at
        self.bpm = bpm
        self.lnRmssd = lnRmssd
        self.sdnnMs = sdnnMs
    }
}

/// Computes what is usual for a person from their still minutes, and from priors as long as those are few.
///
/// Personal figures enter as n/(n + k): k = 30 still minutes for the heart rate, 7 nights for HRV and resting heart rate.
package struct BaselineBuilder: Sendable {
    /// Days before today that count.
    package static let windowDays = 60
    /// From this many days (or nights) on, today is judged against the days before it alone.
    package static let actingDays = 14
    package static let stillMinutesK = 30.0
    package static let nightsK = 7.0
    /// Still minutes of an hour of the day that weigh as much as the mean of all hours.
    package static let hourK = 30.0
    /// Windows with good beats while awake that weigh as much as the prior.
    package static let stillHrvK = 30.0
    /// The resting heart rate stays at least this far below the still mean: it is a minimum.
    package static let smallestStillAboveResting = 3.0

    package var profile: Profile
    package var clock: LocalClock

    package init(profile: Profile, clock: LocalClock) {
        self.profile = profile
        self.clock = clock
    }

    /// - Parameters:
    ///   - minutes: still minutes, any order; those outside the window are left out.
    ///   - observedMaximum: highest one-minute mean heart rate ever seen, beats per minute.
    ///   - newestHeartRateAt: for the age of the source.
    package func baseline(
        at now: Timestamp, minutes: [StillMinute], observedMaximum: Double? = nil
    ) -> Baseline {
        let today = clock.day(of: now)
        let inWindow = minutes.filter { (today - Self.windowDays...today).contains(clock.day(of: $0.at)) }
        let daysBefore = Set(inWindow.map { clock.day(of: $0.at) }.filter { $0 < today })
        let counted =
            daysBefore.count >= Self.actingDays ? inWindow.filter { clock.day(of: $0.at) < today } : inWindow

        let still = StillFigures(minutes: counted, profile: profile, clock: clock)
        let nights = Night.nights(from: inWindow, clock: clock).filter { $0.night < clock.night(of: now) }
        let resting = restingBpm(still: still, days: Night.restingByDay(from: counted, clock: clock))
        let nightShare = Self.share(Double(nights.count), Self.nightsK)
        let hrv = nightly(nights)
        let waking = wakingHrv(counted)
        return Baseline(
            at: now, lnRmssdMean: hrv.mean, lnRmssdSd: hrv.sd, sdnnMs: sdnn(nights), restingBpm: resting,
            maximumBpm: profile.maximumBpm
                ?? max(PopulationPrior.maximumBpm(age: profile.age), observedMaximum ?? 0),
            stillBpmMean: still.mean, stillBpmSd: still.sd, stillBpmByHour: still.byHour, nights: nights.count,
            stillMinutes: Double(counted.count), since: counted.map(\.at).min(),
            confidence: 0.6 * still.share + 0.4 * nightShare,
            sources: sources(now: now, newest: counted.map(\.at).max(), still: still.share, nights: nightShare),
            stillLnRmssdMean: waking.mean, stillLnRmssdSd: waking.sd)
    }

    static func share(_ n: Double, _ k: Double) -> Double { n / (n + k) }

    /// Median of the days' resting heart rates beside the prior, where each day is its lowest half hour.
    private func restingBpm(still: StillFigures, days: [Double]) -> Double {
        let prior = profile.restingBpm ?? still.mean - PopulationPrior.stillAboveResting
        let share = Self.share(Double(days.count), Self.nightsK)
        let blended = share * (median(of: days) ?? prior) + (1 - share) * prior
        return min(blended, still.mean - Self.smallestStillAboveResting)
    }

    private var lnRmssdPrior: (mean: Double, betweenSd: Double) {
        if let usual = profile.usualRmssdMs { return (log(usual), PopulationPrior.lnRmssdBetweenSdKnown) }
        let population = PopulationPrior.lnRmssd(age: profile.age)
        guard let sdnn = profile.usualSdnnMs else { return (population, PopulationPrior.lnRmssdBetweenSd) }
        // SDNN tells about RMSSD by the ratio of their population means, with doubt.
        return (
            log(sdnn) + population - log(PopulationPrior.sdnnMs),
            (PopulationPrior.lnRmssdBetweenSd + PopulationPrior.lnRmssdBetweenSdKnown) / 2
        )
    }

    /// Mean and predictive SD of ln RMSSD over the nights.
    private func nightly(_ nights: [Night]) -> (mean: Double, sd: Double) {
        blended(nights.compactMap(\.lnRmssd), k: Self.nightsK, within: PopulationPrior.nightLnRmssdSd)
    }

    private func wakingHrv(_ minutes: [StillMinute]) -> (mean: Double, sd: Double) {
        let waking = minutes.filter { !Night.hours.contains(clock.hour(of: $0.at)) }.compactMap(\.lnRmssd)
        return blended(waking, k: Self.stillHrvK, within: PopulationPrior.stillLnRmssdSd)
    }

    private func blended(_ values: [Double], k: Double, within: Double) -> (mean: Double, sd: Double) {
        let prior = lnRmssdPrior
        let share = Self.share(Double(values.count), k)
        let centre = share * (mean(of: values) ?? prior.mean) + (1 - share) * prior.mean
        let own = sampleSD(of: values) ?? within
        let variance =
            share * own * own + (1 - share) * within * within + (1 - share) * prior.betweenSd * prior.betweenSd
        return (centre, variance.squareRoot())
    }

    private func sdnn(_ nights: [Night]) -> Double {
        let values = nights.compactMap(\.sdnnMs)
        let share = Self.share(Double(values.count), Self.nightsK)
        let prior = profile.usualSdnnMs ?? PopulationPrior.sdnnMs
        return share * (median(of: values) ?? prior) + (1 - share) * prior
    }

    private func sources(now: Timestamp, newest: Timestamp?, still: Double, nights: Double) -> [SourceAge] {
        let told = profile != Profile()
        var sources = [SourceAge(name: told ? "profile" : "population", ageSeconds: 0, confidence: 1 - still)]
        if let newest {
            sources.append(SourceAge(name: "heartRate", ageSeconds: now.seconds(since: newest), confidence: still))
        }
        if nights > 0 { sources.append(SourceAge(name: "hrv", ageSeconds: 0, confidence: nights)) }
        return sources
    }
}

/// Still heart rate: mean, predictive SD, hours of the day.
struct StillFigures {
    var mean: Double
    /// Spread within an hour of the day, widened by what is not yet known about the mean.
    var sd: Double
    var byHour: [Double?]
    /// Share of own data, 0…1.
    var share: Double

    /// Weight of the minutes of the hour before and after.
    static let neighbourWeight = 0.5

    init(minutes: [StillMinute], profile: Profile, clock: LocalClock) {
        let prior =
            profile.restingBpm.map { $0 + PopulationPrior.stillAboveResting }
            ?? PopulationPrior.stillBpm(sex: profile.sex)
        let between =
            profile.restingBpm == nil
            ? PopulationPrior.stillBpmBetweenSd : PopulationPrior.stillBpmBetweenSdKnownResting
        let count = Double(minutes.count)
        share = BaselineBuilder.share(count, BaselineBuilder.stillMinutesK)
        var sums = [Double](repeating: 0, count: 24)
        var counts = [Double](repeating: 0, count: 24)
        var hours: [Int] = []
        hours.reserveCapacity(minutes.count)
        for minute in minutes {
            let hour = clock.hour(of: minute.at)
            hours.append(hour)
            sums[hour] += minute.bpm
            counts[hour] += 1
        }
        let own = count > 0 ? sums.reduce(0, +) / count : prior
        let blended = share * own + (1 - share) * prior
        mean = blended
        // An hour borrows from the hours beside it, so that nothing jumps at a full hour.
        let hourly = (0..<24).map { hour in
            let near = [(hour, 1.0), ((hour + 1) % 24, Self.neighbourWeight), ((hour + 23) % 24, Self.neighbourWeight)]
            return near.reduce((sum: 0.0, count: 0.0)) {
                ($0.sum + $1.1 * sums[$1.0], $0.count + $1.1 * counts[$1.0])
            }
        }
        byHour = hourly.map { near in
            near.count > 0
                ? (near.sum + BaselineBuilder.hourK * blended) / (near.count + BaselineBuilder.hourK) : nil
        }
        let within = PopulationPrior.stillBpmSd
        var variance = within * within
        if count > 1 {
            let squares = zip(minutes, hours).reduce(0) { sum, pair in
                let centre = hourly[pair.1].sum / hourly[pair.1].count
                return sum + (pair.0.bpm - centre) * (pair.0.bpm - centre)
            }
            variance = share * squares / (count - 1) + (1 - share) * within * within
        }
        sd = max((variance + (1 - share) * between * between).squareRoot(), 1)
    }
}
