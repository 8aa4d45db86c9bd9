import Foundation
import Protocols

/// What the days are computed with; kept beside the records.
package struct BodyDaySettings: Hashable, Codable, Sendable {
    package var convention: FitnessConvention
    package var start: FitnessModel.Start
    /// Fitness may rise by this much in a week, 3…8.
    package var rampCap: Double
    /// `female`, `male`; nil = unknown.
    package var sex: String?

    package init(
        convention: FitnessConvention = .exponential, start: FitnessModel.Start = .usualLoad,
        rampCap: Double = Guidance.usualRampCap, sex: String? = nil
    ) {
        self.convention = convention
        self.start = start
        self.rampCap = rampCap
        self.sex = sex
    }
}

/// One local day of the long view.
package struct BodyDay: Hashable, Codable, Sendable {
    /// After the day, as the convention has it.
    package var figures: FitnessDay
    /// The morning of the day, before its training.
    package var morningFitness: Double
    package var morningFatigue: Double
    package var morningForm: Double { morningFitness - morningFatigue }
    package var battery: Int
    package var zone: BatteryZone
    package var adjustment: Double
    package var illness: IllnessSign
    package var variability: SignalScore?
    package var resting: SignalScore?
    /// The week's HRV against the usual range, and how steady it was, %.
    package var trend: NightlyTrend
    package var weekVariationPercent: Double?
    package var guidance: Guidance
    package var confidence: Double
    /// Days until form is told; nil once it is.
    package var calibratingDays: Int?
    /// How the day's loads were told, each once, in order of the workouts.
    package var methods: [LoadMethod]

    package var day: Int { figures.day }

    /// The day as a message.
    ///
    /// - Parameters:
    ///   - at: when it was computed.
    package func reading(at: Timestamp) -> BatteryReading {
        let isTold = calibratingDays == nil
        var reading = BatteryReading(
            at: at, day: LocalDay.text(day), battery: battery, zone: zone, fitness: morningFitness,
            fatigue: morningFatigue, form: isTold ? morningForm : nil,
            formPercent: isTold
                ? BatteryModel.formPercent(form: morningForm, fitness: morningFitness) : nil,
            rampPerWeek: figures.rampPerWeek, guidanceLow: guidance.low, guidanceHigh: guidance.high,
            guidance: guidance.sentence, illness: illness, calibratingDays: calibratingDays, adjustment: adjustment,
            confidence: confidence, reasons: guidance.reasons)
        reading.describe()
        return reading
    }
}

extension BatteryReading {
    /// Fills in what screens show: the zone's name and colour, the morning message.
    package mutating func describe() {
        let zone = zone.value ?? BatteryZone(battery: battery)
        zoneName = zone.name
        color = zone.color
        let message = MorningMessage(self)
        title = message.title
        text = message.text
    }
}

/// Local days as text.
package enum LocalDay {
    /// `2026-01-31` of a day's number; proleptic Gregorian calendar.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    package static func text(_ day: Int) -> String {
        let z = day + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    }

    /// Number of a day given by year, month and day; nil for a date that does not exist.
    package static func number(year: Int, month: Int, day: Int) -> Int? {
        guard (1...12).contains(month), (1...31).contains(day), (0...9999).contains(year) else { return nil }
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let number = era * 146_097 + dayOfEra - 719_468
        let parts = text(number).split(separator: "-").compactMap { Int($0) }
        return parts == [year, month, day] ? number : nil
    }
}
