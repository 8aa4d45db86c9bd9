import Physiology
import Protocols

extension DaySummary {
    /// Fills in what a day's training and readiness are.
    mutating func take(_ day: BodyDay, withReasons: Bool) {
        let isTold = day.calibratingDays == nil
        battery = Double(day.battery)
        zone = day.zone.rawValue
        fitness = day.morningFitness
        fatigue = day.morningFatigue
        form = isTold ? day.morningForm : nil
        formPercent = isTold ? BatteryModel.formPercent(form: day.morningForm, fitness: day.morningFitness) : nil
        load = day.figures.load
        rampPerWeek = day.figures.rampPerWeek
        guidanceLow = day.guidance.low
        guidanceHigh = day.guidance.high
        guidance = withReasons ? day.guidance.sentence : nil
        reasons = withReasons ? day.guidance.reasons : nil
        illness = day.illness.rawValue
        adjustment = day.adjustment
        confidence = day.confidence
        calibratingDays = day.calibratingDays
    }

    /// The day as it is told on the bus; nil for a day of which no battery was computed.
    func reading(at: Timestamp, convention: FitnessConvention) -> BatteryReading? {
        guard let battery, let fitness, let fatigue, let guidanceLow, let guidanceHigh else { return nil }
        let number = Int(battery.rounded())
        let zone = zone.flatMap { BatteryZone(rawValue: $0) } ?? BatteryZone(battery: number)
        var reading = BatteryReading(
            at: at, day: date, battery: number, zone: zone, fitness: fitness, fatigue: fatigue, form: form,
            formPercent: formPercent, rampPerWeek: rampPerWeek, guidanceLow: guidanceLow, guidanceHigh: guidanceHigh,
            guidance: guidance ?? zone.guidance, illness: illness.flatMap { IllnessSign(rawValue: $0) } ?? .none,
            calibratingDays: calibratingDays, adjustment: adjustment ?? 0, confidence: confidence ?? 0,
            reasons: reasons ?? [])
        reading.describe()
        reading.convention = convention.rawValue
        reading.vo2max = vo2max
        reading.vo2maxError = vo2maxError
        return reading
    }
}
