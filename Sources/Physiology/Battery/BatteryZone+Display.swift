import Protocols

extension BatteryZone {
    /// Zone of a battery: fifths of 0…100.
    package init(battery: Int) {
        self =
            switch battery {
            case ..<20: .recovery
            case ..<40: .easy
            case ..<60: .moderate
            case ..<80: .hard
            default: .peak
            }
    }

    package var name: String {
        switch self {
        case .recovery: "Recovery"
        case .easy: "Easy Endurance"
        case .moderate: "Tempo/Sweetspot"
        case .hard: "Threshold/VO2max"
        case .peak: "Race/Peak"
        }
    }

    /// Red, orange, yellow, green, blue, as `#RRGGBB`.
    package var color: String {
        switch self {
        case .recovery: "#E53E3E"
        case .easy: "#DD6B20"
        case .moderate: "#D69E2E"
        case .hard: "#38A169"
        case .peak: "#3182CE"
        }
    }

    /// What suits such a day.
    package var guidance: String {
        switch self {
        case .recovery: "Rest, or move very gently."
        case .easy: "Easy endurance; you should be able to talk."
        case .moderate: "Tempo and sweet spot are fine; leave all-out efforts for another day."
        case .hard: "Hard intervals OK."
        case .peak: "Ready for a race or your hardest session."
        }
    }

    /// Today's load as shares of fitness.
    package var loadShares: ClosedRange<Double> {
        switch self {
        case .recovery: 0...0.5
        case .easy: 0.5...0.8
        case .moderate: 0.8...1.1
        case .hard: 1.1...1.4
        case .peak: 1.4...1.8
        }
    }
}
