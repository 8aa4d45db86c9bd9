/// Computed figures by local day, oldest first.
package struct ListDays: Request {
    package typealias Reply = DayPage
    package static let target = ProcessName.body
    package static let name = "days"
    package var from: Timestamp
    /// Not part of it any more.
    package var to: Timestamp
    /// The newest so many.
    package var limit: Int

    package init(from: Timestamp, to: Timestamp, limit: Int = 400) {
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// Days.
package struct DayPage: Message {
    /// Oldest first.
    package var days: [DaySummary]
    package var truncated: Bool

    package init(days: [DaySummary], truncated: Bool) {
        self.days = days
        self.truncated = truncated
    }
}

/// What is known about one local day; what is not known is absent.
package struct DaySummary: Codable, Hashable, Sendable {
    /// `2026-03-04`, where the listener was.
    package var date: String
    /// 0…100.
    package var battery: Double?
    package var zone: String?
    /// On the morning of the day.
    package var fitness: Double?
    package var fatigue: Double?
    /// Before the day's training; absent while calibrating.
    package var form: Double?
    /// Form in percent of fitness.
    package var formPercent: Double?
    /// Of the day's workouts.
    package var load: Double?
    package var rampPerWeek: Double?
    package var guidanceLow: Double?
    package var guidanceHigh: Double?
    /// One sentence on what suits the day, and why; reasons are kept for the newest 400 days.
    package var guidance: String?
    package var reasons: [String]?
    /// `none` `watch` `likely`.
    package var illness: String?
    /// Points that HRV and resting heart rate added to the battery, −12…12.
    package var adjustment: Double?
    /// How far battery and guidance are trusted, 0…1.
    package var confidence: Double?
    /// Days until fitness and form are the person's own.
    package var calibratingDays: Int?
    /// Estimate of the maximal oxygen uptake and its standard error, ml/(kg·min); of the newest day alone.
    package var vo2max: Double?
    package var vo2maxError: Double?
    package var restingBpm: Double?
    /// Of the night or morning that begins the day.
    package var rmssdMs: Double?
    package var sdnnMs: Double?
    package var asleepMinutes: Double?
    /// 0…100.
    package var sleepScore: Int?
    /// 0…1, mean of the day's readings, and how many there were.
    package var stress: Double?
    package var stressReadings: Int?
    package var steps: Double?
    package var activeEnergyKcal: Double?
    package var workouts: Int
    package var hydrationMl: Double?
    package var caffeineMg: Double?

    package init(date: String, workouts: Int = 0) {
        self.date = date
        self.workouts = workouts
    }
}

/// Workouts, newest first.
package struct ListWorkouts: Request {
    package typealias Reply = WorkoutPage
    package static let target = ProcessName.body
    package static let name = "workouts"
    package var from: Timestamp
    package var to: Timestamp
    package var limit: Int

    package init(from: Timestamp, to: Timestamp, limit: Int = 200) {
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// Workouts.
package struct WorkoutPage: Message {
    package var workouts: [WorkoutSummary]
    package var truncated: Bool

    package init(workouts: [WorkoutSummary], truncated: Bool) {
        self.workouts = workouts
        self.truncated = truncated
    }
}

/// One workout without its samples.
package struct WorkoutSummary: Codable, Hashable, Sendable {
    package var startAt: Timestamp
    package var endAt: Timestamp
    /// `cycling` `running` `swimming` `rowing` `walking` `strength` `other`.
    package var sport: String
    package var source: String
    package var title: String?
    /// Without pauses.
    package var movingSeconds: Double
    package var distanceM: Double?
    package var energyKcal: Double?
    package var meanBpm: Double?
    package var maximumBpm: Double?
    package var meanPowerW: Double?
    package var weightedPowerW: Double?
    /// Share of the threshold.
    package var intensity: Double?
    package var load: Double?
    /// What the load was computed from: `power` `pace` `swimPace` `heartRate` `perceivedExertion`.
    package var method: String?
    /// Training impulse of the heart rate (Banister).
    package var trimp: Double?
    /// How far the load is trusted, 0…1, and what was assumed.
    package var confidence: Double?
    package var notes: [String]?
    /// Pauses of the recording.
    package var gaps: Int?
    package var zones: [ZoneTimes]?
    package var ascentM: Double?
    /// 0…10, from the file or the journal.
    package var exertion: Double?
    package var deviceLoad: Double?
    /// Aerobic decoupling, %, with its standard error.
    package var decouplingPercent: Double?
    package var decouplingError: Double?
    package var samples: Int
    /// Start of the record of the same workout that counts instead of this one.
    package var countsAs: String?

    package init(
        startAt: Timestamp, endAt: Timestamp, sport: String, source: String, movingSeconds: Double, samples: Int = 0
    ) {
        self.startAt = startAt
        self.endAt = endAt
        self.sport = sport
        self.source = source
        self.movingSeconds = movingSeconds
        self.samples = samples
    }
}

/// Seconds by zone.
package struct ZoneTimes: Codable, Hashable, Sendable {
    /// `power` `heartRate` `pace`.
    package var kind: String
    /// W, beats per minute or m/s.
    package var threshold: Double
    /// Lowest zone first.
    package var names: [String]
    package var seconds: [Double]

    package init(kind: String, threshold: Double, names: [String], seconds: [Double]) {
        self.kind = kind
        self.threshold = threshold
        self.names = names
        self.seconds = seconds
    }
}

/// One workout as a FIT activity, in pieces: a message holds less than a long ride.
package struct GetWorkoutFile: Request {
    package typealias Reply = WorkoutFile
    package static let target = ProcessName.body
    package static let name = "workout-file"
    package var startAt: Timestamp
    package var source: String
    package var sport: String
    /// First byte that is wanted.
    package var offset: Int

    package init(startAt: Timestamp, source: String, sport: String, offset: Int = 0) {
        self.startAt = startAt
        self.source = source
        self.sport = sport
        self.offset = offset
    }
}

/// A piece of a FIT file.
package struct WorkoutFile: Message {
    /// Bytes of the whole file.
    package var bytes: Int
    package var base64: String

    package init(bytes: Int, base64: String) {
        self.bytes = bytes
        self.base64 = base64
    }
}

/// HRV readings that were imported, newest first.
package struct ListReadings: Request {
    package typealias Reply = ReadingPage
    package static let target = ProcessName.body
    package static let name = "readings"
    package var from: Timestamp
    package var to: Timestamp
    package var limit: Int

    package init(from: Timestamp, to: Timestamp, limit: Int = 200) {
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// HRV readings.
package struct ReadingPage: Message {
    package var readings: [Reading]
    package var truncated: Bool

    package struct Reading: Codable, Hashable, Sendable {
        package var startAt: Timestamp
        package var endAt: Timestamp
        /// `spot` `morning` `night`: only like is compared with like.
        package var kind: String
        package var sdnnMs: Double?
        package var rmssdMs: Double?
        package var rebuiltSdnnMs: Double?
        package var rebuiltRmssdMs: Double?
        package var bpm: Double?
        package var source: String

        package init(
            startAt: Timestamp, endAt: Timestamp, kind: String, sdnnMs: Double?, rmssdMs: Double?,
            rebuiltSdnnMs: Double?, rebuiltRmssdMs: Double?, bpm: Double?, source: String
        ) {
            self.startAt = startAt
            self.endAt = endAt
            self.kind = kind
            self.sdnnMs = sdnnMs
            self.rmssdMs = rmssdMs
            self.rebuiltSdnnMs = rebuiltSdnnMs
            self.rebuiltRmssdMs = rebuiltRmssdMs
            self.bpm = bpm
            self.source = source
        }
    }

    package init(readings: [Reading], truncated: Bool) {
        self.readings = readings
        self.truncated = truncated
    }
}

/// Stress readings that were kept, newest first.
package struct ListStress: Request {
    package typealias Reply = StressPage
    package static let target = ProcessName.body
    package static let name = "stress"
    package var from: Timestamp
    package var to: Timestamp
    package var limit: Int

    package init(from: Timestamp, to: Timestamp, limit: Int = 1000) {
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// Stress readings.
package struct StressPage: Message {
    package var readings: [StressReading]
    package var truncated: Bool

    package init(readings: [StressReading], truncated: Bool) {
        self.readings = readings
        self.truncated = truncated
    }
}
