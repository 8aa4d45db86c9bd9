/// What a battery allows, by fifths.
package enum BatteryZone: String, Codable, Hashable, Sendable, CaseIterable {
    case recovery, easy, moderate, hard, peak
}

/// Unusual nights: no diagnosis, a reason to go easy.
package enum IllnessSign: String, Codable, Hashable, Sendable, CaseIterable {
    case none
    /// Heart rate and HRV were both unusual one night.
    case watch
    /// They were so two nights running.
    case likely
}

/// Readiness of a local day, before its training.
package struct BatteryReading: Message {
    package var at: Timestamp
    /// The local day, `2026-01-31`.
    package var day: String
    /// 0…100.
    package var battery: Int
    package var zone: Open<BatteryZone>
    /// Load per day, weighted over 42 days; this morning.
    package var fitness: Double
    /// Load per day, weighted over 7 days; this morning.
    package var fatigue: Double
    /// Fitness − fatigue; absent while calibrating.
    package var form: Double?
    /// Form in percent of fitness; absent while calibrating.
    package var formPercent: Double?
    /// Change of fitness over the last seven days.
    package var rampPerWeek: Double?
    /// Load that suits today.
    package var guidanceLow: Double
    package var guidanceHigh: Double
    /// One sentence on what suits today.
    package var guidance: String
    package var illness: Open<IllnessSign>
    /// Days until form is told; absent once it is.
    package var calibratingDays: Int?
    /// Points that HRV and resting heart rate added or took, −12…12.
    package var adjustment: Double
    /// 0…1.
    package var confidence: Double
    /// Why guidance and battery are what they are, one sentence each.
    package var reasons: [String]
    /// For screens: `Tempo/Sweetspot`, and its colour as `#RRGGBB`.
    package var zoneName: String?
    package var color: String?
    /// What is told in the morning: `Battery 64: Threshold/VO2max`, then the target and a sentence.
    package var title: String?
    package var text: String?
    /// `exponential` `trainingpeaks` `intervals`: how fitness and fatigue were computed.
    package var convention: String?
    /// Estimate of the maximal oxygen uptake and its standard error, ml/(kg·min).
    package var vo2max: Double?
    package var vo2maxError: Double?

    package init(
        at: Timestamp, day: String, battery: Int, zone: BatteryZone, fitness: Double, fatigue: Double, form: Double?,
        formPercent: Double?, rampPerWeek: Double?, guidanceLow: Double, guidanceHigh: Double, guidance: String,
        illness: IllnessSign, calibratingDays: Int?, adjustment: Double, confidence: Double, reasons: [String]
    ) {
        self.at = at
        self.day = day
        self.battery = battery
        self.zone = Open(zone)
        self.fitness = fitness
        self.fatigue = fatigue
        self.form = form
        self.formPercent = formPercent
        self.rampPerWeek = rampPerWeek
        self.guidanceLow = guidanceLow
        self.guidanceHigh = guidanceHigh
        self.guidance = guidance
        self.illness = Open(illness)
        self.calibratingDays = calibratingDays
        self.adjustment = adjustment
        self.confidence = confidence
        self.reasons = reasons
    }
}
