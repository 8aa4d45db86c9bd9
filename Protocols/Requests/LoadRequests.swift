/// Load, fitness, fatigue and form of every day, in a convention of choice.
package struct GetLoad: Request {
    package typealias Reply = LoadReport
    package static let target = ProcessName.body
    package static let name = "load"
    /// `exponential` `trainingpeaks` `intervals`; absent = the setting `loadConvention`.
    package var convention: String?
    /// The newest so many days, 1…3000.
    package var days: Int

    package init(convention: String? = nil, days: Int = 90) {
        self.convention = convention
        self.days = days
    }
}

/// The load series.
package struct LoadReport: Message {
    package var convention: String
    /// True when form speaks of the morning, before the day's training; false: after it.
    package var formOfTheMorning: Bool
    /// Days until form means something; absent once it does.
    package var calibratingDays: Int?
    /// Oldest first, every calendar day.
    package var days: [Day]

    package struct Day: Codable, Hashable, Sendable {
        package var date: String
        package var load: Double
        /// After the day.
        package var fitness: Double
        package var fatigue: Double
        package var form: Double
        package var rampPerWeek: Double?

        package init(
            date: String, load: Double, fitness: Double, fatigue: Double, form: Double, rampPerWeek: Double?
        ) {
            self.date = date
            self.load = load
            self.fitness = fitness
            self.fatigue = fatigue
            self.form = form
            self.rampPerWeek = rampPerWeek
        }
    }

    package init(convention: String, formOfTheMorning: Bool, calibratingDays: Int?, days: [Day]) {
        self.convention = convention
        self.formOfTheMorning = formOfTheMorning
        self.calibratingDays = calibratingDays
        self.days = days
    }
}

/// The battery of today, and how it went.
package struct GetBattery: Request {
    package typealias Reply = BatteryHistory
    package static let target = ProcessName.body
    package static let name = "battery"
    /// The newest so many days, 1…400.
    package var days: Int

    package init(days: Int = 90) { self.days = days }
}

/// The battery day by day.
package struct BatteryHistory: Message {
    /// The newest day; absent when nothing was ever measured.
    package var latest: BatteryReading?
    /// Oldest first.
    package var days: [Day]

    package struct Day: Codable, Hashable, Sendable {
        package var date: String
        package var battery: Int
        package var zone: String
        package var illness: String
        package var confidence: Double

        package init(date: String, battery: Int, zone: String, illness: String, confidence: Double) {
            self.date = date
            self.battery = battery
            self.zone = zone
            self.illness = illness
            self.confidence = confidence
        }
    }

    package init(latest: BatteryReading?, days: [Day]) {
        self.latest = latest
        self.days = days
    }
}
