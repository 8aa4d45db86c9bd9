import Physiology
import Protocols

extension WorkoutRecord {
    /// All that a FIT activity recorded as one workout: its `record` messages, with the figures of its sessions added up.
    ///
    /// Records without a Unix time (devices that count from their power-up) lie on a clock that begins in 1970.
    ///
    /// - Returns: nil without any record.
    package init?(_ file: FITFile, source: String) {
        let sessions = file.messages(named: "session")
        var samples: [WorkoutSample] = []
        var latest: Int64 = -1
        for message in file.messages where message.number == 20 {
            let relative = message.fields.first { $0.number == 253 }?.value.integer.map { $0 * 1000 }
            let at = message.timestamp?.milliseconds ?? relative ?? latest + 1000
            latest = at
            samples.append(WorkoutSample(message, at: Timestamp(milliseconds: at)))
        }
        guard let first = samples.map(\.at).min(), let last = samples.map(\.at).max() else { return nil }
        func total(_ name: String) -> Double? {
            let values = sessions.compactMap { $0[name]?.double }
            return values.isEmpty ? nil : values.reduce(0, +)
        }
        let sport = sessions.compactMap { $0["sport"]?.text }.first { $0 != "generic" && $0 != "transition" }
        self.init(
            start: first, end: last, sport: Sport(fit: sport), movingSeconds: total("total_timer_time") ?? 0,
            distanceM: total("total_distance"), energyKcal: total("total_calories"),
            deviceLoad: total("training_stress_score"), source: source, samples: samples)
    }
}

extension WorkoutSample {
    fileprivate init(_ message: FITMessage, at: Timestamp) {
        func number(_ names: String...) -> Double? { names.lazy.compactMap { message[$0]?.double }.first }
        self.init(
            at: at, bpm: number("heart_rate").flatMap { $0 > 0 ? $0 : nil }, powerW: number("power"),
            speedMps: number("enhanced_speed", "speed"), altitudeM: number("enhanced_altitude", "altitude"),
            distanceM: number("distance"), cadence: number("cadence"))
    }
}

extension Sport {
    /// - Parameter fit: name of the FIT enumeration `sport`.
    package init(fit name: String?) {
        self =
            switch name {
            case "cycling", "e_biking": .cycling
            case "running": .running
            case "swimming": .swimming
            case "rowing": .rowing
            case "walking", "hiking", "snowshoeing": .walking
            case "training", "floor_climbing": .strength
            default: .other
            }
    }

    /// Number in the FIT enumeration `sport`.
    package var fitNumber: UInt8 {
        switch self {
        case .running: 1
        case .cycling: 2
        case .swimming: 5
        case .strength: 10
        case .walking: 11
        case .rowing: 15
        case .other: 0
        }
    }
}
