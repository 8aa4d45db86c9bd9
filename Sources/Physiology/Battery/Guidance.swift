import Foundation
import Protocols

/// The load that suits today, with the reasons.
package struct Guidance: Hashable, Codable, Sendable {
    package var low: Double
    package var high: Double
    /// One sentence each, most important first.
    package var reasons: [String]
    /// One sentence for the listener.
    package var sentence: String

    /// Load per day that guidance starts from when there is hardly any fitness: half an hour of easy movement.
    package static let floorLoad = 25.0
    /// Fitness may rise by this much in a week.
    package static let usualRampCap = 7.0
    /// A good morning raises the upper end by a tenth, a bad one lowers both by a fifth.
    package static let raise = 1.1
    package static let lower = 0.8
    /// Foster's monotony (mean of the week's loads / their SD) above which the week needs an easier day.
    package static let greatestMonotony = 2.0
    /// Nights below this many minutes of sleep are no ground for more.
    package static let shortNightMinutes = 300.0
    static let watchShare = 0.8
    static let likelyShare = 0.25

    /// What today's guidance is made of.
    package struct Situation: Hashable, Sendable {
        package var zone: BatteryZone
        /// This morning.
        package var fitness: Double
        /// On the morning a week ago; nil in the first week.
        package var fitnessAWeekAgo: Double?
        package var adjustment: Double
        package var illness: IllnessSign
        package var isCalibrating: Bool
        /// Loads of the last seven days, today not among them.
        package var week: [Double]
        package var asleepMinutes: Double?
        package var rampCap: Double
        /// Share of the way that fitness goes to a day's load.
        package var fitnessRate: Double

        package init(
            zone: BatteryZone, fitness: Double, fitnessAWeekAgo: Double? = nil, adjustment: Double = 0,
            illness: IllnessSign = .none, isCalibrating: Bool = false, week: [Double] = [],
            asleepMinutes: Double? = nil, rampCap: Double = usualRampCap,
            fitnessRate: Double = FitnessConvention.exponential.rate(days: FitnessConvention.fitnessDays)
        ) {
            self.zone = zone
            self.fitness = fitness
            self.fitnessAWeekAgo = fitnessAWeekAgo
            self.adjustment = adjustment
            self.illness = illness
            self.isCalibrating = isCalibrating
            self.week = week
            self.asleepMinutes = asleepMinutes
            self.rampCap = rampCap
            self.fitnessRate = fitnessRate
        }
    }

    package init(_ now: Situation) {
        let base = max(now.fitness, Self.floorLoad)
        let shares = now.zone.loadShares
        low = base * shares.lowerBound
        high = base * shares.upperBound
        reasons = [
            "\(now.zone.name): \(Self.number(shares.lowerBound))–\(Self.number(shares.upperBound)) × "
                + (now.fitness < Self.floorLoad
                    ? "a floor of \(Int(Self.floorLoad)), because fitness is \(Int(now.fitness.rounded()))"
                    : "fitness \(Int(now.fitness.rounded()))")
        ]
        sentence = now.zone.guidance
        modify(now)
        limitMonotony(now, base: base)
        limitRamp(now, base: base)
        limitIllness(now, base: base)
        low = min(low, high)
        if now.isCalibrating { reasons.append("Still calibrating: fitness and fatigue are finding their level.") }
    }

    private mutating func modify(_ now: Situation) {
        let isShort = now.asleepMinutes.map { $0 < Self.shortNightMinutes } ?? false
        if now.adjustment <= -BatteryAdjustment.actingPoints {
            low *= Self.lower
            high *= Self.lower
            reasons.append("Lowered by a fifth: HRV and resting heart rate speak of strain.")
        } else if now.adjustment >= BatteryAdjustment.actingPoints, now.illness == .none {
            if isShort {
                reasons.append("Not raised: the night was short.")
            } else {
                high *= Self.raise
                reasons.append("Raised by a tenth: HRV and resting heart rate are better than usual.")
            }
        }
    }

    private mutating func limitMonotony(_ now: Situation, base: Double) {
        let limit = base * BatteryZone.moderate.loadShares.upperBound
        guard now.week.count == 7, high > limit, let mean = mean(of: now.week), mean > base / 2,
            let sd = sampleSD(of: now.week), mean > Self.greatestMonotony * sd
        else { return }
        high = limit
        reasons.append("Limited: the week's loads were all alike; vary hard and easy days.")
    }

    /// Fitness after today's load x is f + rate · (x − f); it shall stay within the cap above what it was a week ago.
    private mutating func limitRamp(_ now: Situation, base: Double) {
        guard !now.isCalibrating, let before = now.fitnessAWeekAgo else { return }
        let greatest = now.fitness + (before + now.rampCap - now.fitness) / now.fitnessRate
        // Gentle movement is never too much.
        let limit = max(greatest, base * BatteryZone.recovery.loadShares.upperBound)
        guard high > limit else { return }
        high = limit
        let risen = Self.number(now.fitness - before)
        reasons.append("Limited: fitness may rise by \(Self.number(now.rampCap)) a week and has risen by \(risen).")
    }

    private mutating func limitIllness(_ now: Situation, base: Double) {
        switch now.illness {
        case .none: return
        case .watch:
            high = min(high, base * Self.watchShare)
            low = 0
            reasons.insert("Kept easy: resting heart rate and HRV were unusual last night.", at: 0)
        case .likely:
            high = min(high, base * Self.likelyShare)
            low = 0
            reasons.insert("Kept to rest: resting heart rate and HRV have been unusual for two nights.", at: 0)
        }
        sentence = Self.sentence(now.illness)
    }

    /// No diagnosis: what was seen, and what suits it.
    static func sentence(_ illness: IllnessSign) -> String {
        switch illness {
        case .none: ""
        case .watch: "Your heart rate was higher and your HRV lower than usual; keep it easy and see how you feel."
        case .likely:
            "Your body has been under unusual strain for two nights; rest today. If you feel unwell, trust that more than any "
                + "number."
        }
    }

    static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    }
}
