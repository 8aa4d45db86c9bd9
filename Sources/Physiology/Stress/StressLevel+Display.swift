import Protocols

extension StressLevel {
    /// 0 relaxed … 4 overload.
    package var rank: Int {
        switch self {
        case .relaxed: 0
        case .normal: 1
        case .elevated: 2
        case .high: 3
        case .overload: 4
        }
    }

    /// What a person reads.
    package var title: String {
        switch self {
        case .relaxed: "Relaxed"
        case .normal: "Normal"
        case .elevated: "Elevated"
        case .high: "High Stress"
        case .overload: "Overload"
        }
    }

    /// Name of the colour: green, blue, yellow, orange, red.
    package var colour: String {
        switch self {
        case .relaxed: "green"
        case .normal: "blue"
        case .elevated: "yellow"
        case .high: "orange"
        case .overload: "red"
        }
    }

    /// No level: nothing measured, or gated.
    package static let undefinedTitle = "Undefined"
    package static let undefinedColour = "gray"
}
