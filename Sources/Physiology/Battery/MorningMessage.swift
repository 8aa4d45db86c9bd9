import Protocols

/// What is told in the morning: the battery and the day's target.
package struct MorningMessage: Hashable, Codable, Sendable {
    package var title: String
    package var text: String

    package init(_ reading: BatteryReading) {
        let zone = reading.zone.value ?? BatteryZone(battery: reading.battery)
        if let days = reading.calibratingDays {
            title = "Battery \(reading.battery), calibrating"
            text =
                "\(days) more \(days == 1 ? "day" : "days") until form is known. \(Self.target(reading)) \(reading.guidance)"
        } else {
            title = "Battery \(reading.battery): \(zone.name)"
            text = "\(Self.target(reading)) \(reading.guidance)"
        }
    }

    /// `Today's target: load 85–108.`
    static func target(_ reading: BatteryReading) -> String {
        let (low, high) = (Int(reading.guidanceLow.rounded()), Int(reading.guidanceHigh.rounded()))
        return low == high ? "Today's target: load \(low)." : "Today's target: load \(low)–\(high)."
    }
}
