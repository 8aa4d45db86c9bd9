import Protocols

/// One thing that an export, a device or a person says about the body. Readers of files make them, the body keeps them.
package enum BodyRecord: Hashable, Codable, Sendable {
    case heartRate(HeartRateRecord)
    case variability(VariabilityRecord)
    case restingHeartRate(RestingRecord)
    case sleep(SleepSegment)
    case workout(WorkoutRecord)
    case quantity(QuantityRecord)
    case person(PersonRecord)

    /// Name of the kind, as in reports: `heartRate`, `variability` ….
    package var kind: String {
        switch self {
        case .heartRate: "heartRate"
        case .variability: "variability"
        case .restingHeartRate: "restingHeartRate"
        case .sleep: "sleep"
        case .workout: "workout"
        case .quantity(let quantity): quantity.kind.rawValue
        case .person: "person"
        }
    }
}

/// A heart rate at a moment.
package struct HeartRateRecord: Hashable, Codable, Sendable {
    package var at: Timestamp
    /// Beats per minute.
    package var bpm: Double
    /// Name of the app or device that wrote it.
    package var source: String

    package init(at: Timestamp, bpm: Double, source: String) {
        self.at = at
        self.bpm = bpm
        self.source = source
    }
}

/// One reading of heart-rate variability. Values of different lengths or kinds are never compared.
package struct VariabilityRecord: Hashable, Codable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable {
        /// A watch's own odd minute, or one asked for.
        case spot
        /// Read on purpose after waking.
        case morning
        /// Over the night.
        case night
        /// Beats written during a workout: no part of any baseline.
        case activity
    }

    package var start: Timestamp
    package var end: Timestamp
    package var kind: Kind
    /// As the device gave it, ms.
    package var sdnnMs: Double?
    package var rmssdMs: Double?
    /// From the beat list, sample SD (n − 1) of 60000/bpm, ms.
    package var rebuiltSdnnMs: Double?
    /// From the beat list, pairs across gaps left out, ms.
    package var rebuiltRmssdMs: Double?
    /// Beats per minute at each beat, with its moment; empty when the export has none.
    package var beats: [Beat]
    /// Mean heart rate of the reading, if given.
    package var bpm: Double?
    package var source: String

    package struct Beat: Hashable, Codable, Sendable {
        package var at: Timestamp
        package var bpm: Double
        package init(at: Timestamp, bpm: Double) {
            self.at = at
            self.bpm = bpm
        }
    }

    package init(
        start: Timestamp, end: Timestamp, kind: Kind = .spot, sdnnMs: Double? = nil, rmssdMs: Double? = nil,
        rebuiltSdnnMs: Double? = nil, rebuiltRmssdMs: Double? = nil, beats: [Beat] = [], bpm: Double? = nil,
        source: String
    ) {
        self.start = start
        self.end = end
        self.kind = kind
        self.sdnnMs = sdnnMs
        self.rmssdMs = rmssdMs
        self.rebuiltSdnnMs = rebuiltSdnnMs
        self.rebuiltRmssdMs = rebuiltRmssdMs
        self.beats = beats
        self.bpm = bpm
        self.source = source
    }
}

/// A resting heart rate of a day. The one created last for a day counts; it is never filled from live heart rates.
package struct RestingRecord: Hashable, Codable, Sendable {
    package var at: Timestamp
    /// When the device made up its mind.
    package var createdAt: Timestamp
    package var bpm: Double
    package var source: String

    package init(at: Timestamp, createdAt: Timestamp, bpm: Double, source: String) {
        self.at = at
        self.createdAt = createdAt
        self.bpm = bpm
        self.source = source
    }
}

/// A stretch of a night as one source saw it.
package struct SleepSegment: Hashable, Codable, Sendable {
    package enum Stage: String, Codable, Hashable, Sendable, CaseIterable {
        case inBed, awake, core, deep, rem
        /// Asleep, stage not told (also the legacy `Asleep`).
        case asleep

        package var isAsleep: Bool { self != .inBed && self != .awake }
    }

    package var start: Timestamp
    package var end: Timestamp
    package var stage: Stage
    package var source: String
    /// A watch knows sleep better than a phone.
    package var isWatch: Bool
    /// IANA name, where the export tells it.
    package var timeZone: String?

    package init(
        start: Timestamp, end: Timestamp, stage: Stage, source: String, isWatch: Bool = false, timeZone: String? = nil
    ) {
        self.start = start
        self.end = end
        self.stage = stage
        self.source = source
        self.isWatch = isWatch
        self.timeZone = timeZone
    }
}

/// An amount over a stretch of time.
package struct QuantityRecord: Hashable, Codable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Count.
        case steps
        /// kcal.
        case activeEnergy, basalEnergy
        /// m.
        case distance
        /// kg, cm, ml/kg/min.
        case bodyMass, height, vo2max
    }

    package var kind: Kind
    package var start: Timestamp
    package var end: Timestamp
    /// In the unit of its kind.
    package var value: Double
    package var source: String

    package init(kind: Kind, start: Timestamp, end: Timestamp, value: Double, source: String) {
        self.kind = kind
        self.start = start
        self.end = end
        self.value = value
        self.source = source
    }
}

/// What an export says about the person.
package struct PersonRecord: Hashable, Codable, Sendable {
    /// `1985-04-12`.
    package var birthDate: String?
    /// `male`, `female`, `other`.
    package var sex: String?

    package init(birthDate: String? = nil, sex: String? = nil) {
        self.birthDate = birthDate
        self.sex = sex
    }
}
