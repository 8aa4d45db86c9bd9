import Formats
import Foundation
import Physiology
import Protocols

/// A heart, a pair of lungs and a pair of legs: the sensor of a person who does not exist.
///
/// Advances second by second from the first moment it is asked for; the same seed and the same moments give the same
/// samples. Figures are population values: resting short-term RMSSD about 42 ms (Nunan et al., Pacing Clin
/// Electrophysiol 33:1407, 2010), respiration 12…18 per minute at rest, heart rate lowest before dawn.
package struct SimulatedBody: SampleSource {
    /// Name of the source in its samples.
    static let name = "simulation"
    /// Heart rate of the resting body and at its limit, beats per minute.
    static let (restingBpm, maximumBpm) = (57.0, 188.0)
    /// A sleep of the machine longer than this, in seconds, is not caught up with.
    static let longestCatchUp: Int64 = 900
    /// Time constants in seconds: heart rate up, down (Pierpont, Voth, "Assessing autonomic function by analysis of
    /// heart rate recovery", Am J Cardiol 94:64, 2004: about a minute), stress up, down, music.
    private enum Lag {
        static let (up, down, stressUp, stressDown, music) = (30.0, 60.0, 45.0, 240.0, 60.0)
    }
    /// Respiratory swing of an interval at full vagal tone, ms; gives an RMSSD near 40 ms for a sitting body.
    private static let respiratorySwingMs = 62.0
    /// One beat in so many comes early, is missed by the sensor; ten times as often in motion.
    private static let (ectopicEvery, missedEvery) = (2500.0, 4000.0)

    private let seed: UInt64
    private let timeZone: TimeZone
    private let plan: DayPlan?
    private let effects: HiddenEffects?
    private let reveal: (@Sendable (HeardMusic, HiddenEffects.Effect) -> Void)?
    /// What moves on its own, and what depends on the beats: apart, so that the same person with and without music
    /// differs by the music only.
    private var random: SplitMix64
    private var beatRandom: SplitMix64
    /// Last whole second that was told, Unix s.
    private var second: Int64?
    private var today: (day: Int64, plan: DayPlan)?

    private var bpm = SimulatedBody.restingBpm + 8
    private var stress = 0.3
    private var slowBpm = 0.0
    private var phase = 0.0
    private var breathHz = 0.25
    private var heard = HiddenEffects.Effect(bpm: 0, stress: 0)
    private var music: HiddenEffects.Effect?
    private var workout: String?
    private var burntKcal = 0.0

    /// End of the last beat, Unix ms.
    private var beatEnd = 0.0
    private var pausesAfterEctopic = false
    private var beats: [Double] = []
    private var beatsStart = 0.0
    private var gapBefore = false
    private var stepsOwed = 0.0

    /// - Parameters:
    ///   - plan: what the person does; nil = an invented day from the seed.
    ///   - effects: nil = the body does not hear the music.
    ///   - reveal: is told the hidden effect of every song that is heard, to compare with what was learnt.
    package init(
        seed: UInt64, timeZone: TimeZone, plan: DayPlan? = nil, effects: HiddenEffects? = nil,
        reveal: (@Sendable (HeardMusic, HiddenEffects.Effect) -> Void)? = nil
    ) {
        self.seed = seed
        self.timeZone = timeZone
        self.plan = plan
        self.effects = effects
        self.reveal = reveal
        random = SplitMix64(seed: seed, name: "body")
        beatRandom = SplitMix64(seed: seed, name: "beats")
    }

    package mutating func hear(_ music: HeardMusic?, at now: Timestamp) {
        self.music = music.flatMap { music in effects?.effect(of: music) }
        if let music, let effect = self.music { reveal?(music, effect) }
    }

    /// It tells everything all the time.
    package mutating func senseDensely(until end: Timestamp, at now: Timestamp) throws(Refusal) -> String {
        Self.name
    }

    package mutating func samples(until now: Timestamp) -> [RecordedSample] {
        let end = Int64((Double(now.milliseconds) / 1000).rounded(.down))
        guard let last = second, end - last <= Self.longestCatchUp else {
            gapBefore = second != nil
            second = end
            beats = []
            beatEnd = Double(end) * 1000
            beatsStart = beatEnd
            return []
        }
        guard end > last else { return [] }
        var samples: [RecordedSample] = []
        for moment in (last + 1)...end { live(moment, into: &samples) }
        second = end
        return samples
    }

    // MARK: - One second

    private mutating func live(_ moment: Int64, into samples: inout [RecordedSample]) {
        let at = Timestamp(milliseconds: moment * 1000)
        let local = moment + Int64(timeZone.secondsFromGMT(for: at.date))
        let (day, secondOfDay) = local.quotientAndRemainder(dividingBy: 86_400)
        let plan = plan(for: day)
        let minute = Int(secondOfDay / 60)
        let entry = plan.entries.last { entry in
            guard let from = DayPlan.minute(entry.from), let to = DayPlan.minute(entry.to) else { return false }
            return from <= minute && minute < to
        }
        let activity = entry?.activity ?? .sit

        samples += workoutChanges(entry, at: at)
        advanceHeart(entry, activity: activity, hour: Double(secondOfDay) / 3600)
        beat(until: Double(moment) * 1000, moving: Self.gait(entry) != nil)
        samples.append(.heartRate(HeartRate(at: at, bpm: bpm.rounded(), source: Self.name)))
        if moment % 2 == 0, let rr = takeBeats() { samples.append(.rr(rr)) }
        stepsOwed += (Self.gait(entry)?.cadence ?? 0) / 60
        if moment % 5 == 0 { samples.append(.motion(motion(entry, at: at))) }
        for mood in plan.moods ?? [] where DayPlan.minute(mood.at) == minute && secondOfDay % 60 == 0 {
            samples.append(.mood(MoodInput(at: at, mood: mood.mood, energy: mood.energy, via: "watch")))
        }
    }

    private mutating func plan(for day: Int64) -> DayPlan {
        if let plan { return plan }
        if let today, today.day == day { return today.plan }
        let invented = DayPlan.invented(day: day, seed: seed)
        today = (day, invented)
        return invented
    }

    private mutating func workoutChanges(_ entry: DayPlan.Entry?, at: Timestamp) -> [RecordedSample] {
        let wanted = entry.flatMap { $0.activity == .workout ? $0.sport ?? "other" : nil }
        defer { workout = wanted }
        if wanted != nil { burntKcal += max(0, bpm - 70) * 0.0018 }
        guard wanted != workout else { return [] }
        var changes: [RecordedSample] = []
        if let workout {
            changes.append(
                .workout(Workout(phase: .ended, sport: workout, energyKcal: burntKcal.rounded(), at: at)))
        }
        if let wanted { changes.append(.workout(Workout(phase: .started, sport: wanted, at: at))) }
        burntKcal = 0
        return changes
    }

    // MARK: - Heart

    private var reserve: Double { (bpm - Self.restingBpm) / (Self.maximumBpm - Self.restingBpm) }

    private mutating func advanceHeart(_ entry: DayPlan.Entry?, activity: DayPlan.Activity, hour: Double) {
        let effort: Double =
            switch activity {
            case .sleep: -0.01
            case .sit: 0.08
            case .desk: 0.10
            case .vehicle: 0.10
            case .walk: 0.30
            case .workout: entry?.effort ?? 0.65
            }
        let target = music ?? HiddenEffects.Effect(bpm: 0, stress: 0)
        heard.bpm += (target.bpm - heard.bpm) / Lag.music
        heard.stress += (target.stress - heard.stress) / Lag.music

        let wantedStress = min(1, max(0, (entry?.stress ?? 0.3) + heard.stress))
        stress += (wantedStress - stress) / (wantedStress > stress ? Lag.stressUp : Lag.stressDown)

        // Slow waves of blood pressure and temperature: about 2 beats per minute with a memory of a minute.
        slowBpm += -slowBpm / 60 + 2 * (2.0 / 60).squareRoot() * random.normal()
        let circadian = 3 * cos((hour - 16) / 24 * 2 * .pi)
        let atRest = max(0, 1 - effort / 0.5)
        let wanted =
            Self.restingBpm + circadian + effort * (Self.maximumBpm - Self.restingBpm)
            + atRest * (20 * (stress - 0.2) + heard.bpm + slowBpm)
        bpm += (wanted - bpm) / (wanted > bpm ? Lag.up : Lag.down)
        bpm = min(Self.maximumBpm, max(40, bpm))
        // Breathing wanders within 0.2…0.3 Hz at rest and doubles with effort.
        breathHz += (0.25 + 0.25 * max(0, reserve - 0.1) - breathHz) / 30 + 0.002 * random.normal()
        breathHz = min(reserve > 0.25 ? 0.7 : 0.3, max(0.2, breathHz))
    }

    /// 1 for a calm body, near 0 in hard effort; stress takes up to 60 %.
    private var vagalTone: Double { exp(-4.5 * max(0, reserve)) * (1 - 0.6 * max(0, min(1, stress))) }

    private mutating func beat(until end: Double, moving: Bool) {
        let artefacts = moving ? 10.0 : 1
        while true {
            let mean = 60_000 / bpm
            phase += 2 * .pi * breathHz * mean / 1000
            if phase > 2 * .pi { phase -= 2 * .pi }
            var interval = mean + Self.respiratorySwingMs * vagalTone * sin(phase)
            interval += (1.5 + 8 * vagalTone) * beatRandom.normal()
            if pausesAfterEctopic {
                interval *= 1.35
                pausesAfterEctopic = false
            } else if beatRandom.uniform() < artefacts / Self.ectopicEvery {
                interval *= 0.65
                pausesAfterEctopic = true
            } else if beatRandom.uniform() < artefacts / Self.missedEvery {
                interval *= 2
            }
            interval = min(2500, max(290, interval)).rounded()
            beats.append(interval)
            beatEnd += interval
            if beatEnd > end { return }
        }
    }

    /// The beats that are over; the one under way is told next time.
    private mutating func takeBeats() -> RRIntervals? {
        guard let running = beats.popLast(), !beats.isEmpty else { return nil }
        let message = RRIntervals(
            startAt: Timestamp(milliseconds: Int64(beatsStart)), rrMs: beats, gapBefore: gapBefore,
            source: Self.name)
        beatsStart += beats.reduce(0, +)
        beats = [running]
        gapBefore = false
        return message
    }

    // MARK: - Legs

    private static func gait(_ entry: DayPlan.Entry?) -> (activity: MotionActivity, cadence: Double, intensity: Double)?
    {
        switch (entry?.activity, entry?.sport) {
        case (.walk, _): (.walking, 108, 0.35)
        case (.workout, "running"): (.running, 164, 0.85)
        case (.workout, "cycling"): (.cycling, 0, 0.55)
        case (.workout, _): (.unknown, 12, 0.6)
        default: nil
        }
    }

    private mutating func motion(_ entry: DayPlan.Entry?, at: Timestamp) -> Motion {
        let gait = Self.gait(entry)
        let steps = Int(stepsOwed)
        stepsOwed -= Double(steps)
        let inVehicle = entry?.activity == .vehicle
        let base = gait?.intensity ?? (inVehicle ? 0.12 : entry?.activity == .sleep ? 0.0 : 0.03)
        let intensity = min(1, max(0, base * (1 + 0.15 * random.normal())))
        return Motion(
            at: at, intensity: (intensity * 1000).rounded() / 1000,
            cadencePerMinute: gait.flatMap { $0.cadence > 0 ? $0.cadence : nil }, steps: steps,
            activity: gait?.activity ?? (inVehicle ? .vehicle : .stationary))
    }
}
