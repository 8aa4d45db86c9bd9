/// What a quantity measures, with the unit in which it is kept.
enum HealthDimension {
    /// min⁻¹.
    case rate
    /// ms.
    case milliseconds
    /// s.
    case seconds
    /// kcal.
    case energy
    /// m.
    case length
    /// cm.
    case height
    /// kg.
    case mass
    /// W.
    case power
    case count
    /// ml/(kg·min).
    case oxygen
    /// m/s.
    case speed

    /// What a value in this unit is multiplied with, or nil for a unit of something else.
    ///
    /// Sources: HealthKit's unit strings (HKUnit); international yard and pound of 1959; thermochemical calorie,
    /// 4.184 J. HealthKit's `Cal` is the kilocalorie, its `cal` the small one.
    func factor(_ unit: String) -> Double? {
        switch self {
        case .rate: Self.rates[unit]
        case .milliseconds: Self.times[unit].map { $0 * 1000 }
        case .seconds: Self.times[unit]
        case .energy: Self.energies[unit]
        case .length: Self.lengths[unit]
        case .height: Self.lengths[unit].map { $0 * 100 }
        case .mass: Self.masses[unit]
        case .power: ["W": 1, "kW": 1000][unit]
        case .count: ["count": 1, "steps": 1, "": 1][unit]
        case .oxygen: Self.oxygens[unit.replacing(" ", with: "").lowercased()]
        case .speed: Self.speeds[unit]
        }
    }

    private static let rates = [
        "count/min": 1, "count/s": 60, "bpm": 1, "BPM": 1, "beats/min": 1, "min⁻¹": 1, "Hz": 60, "count/hr": 1.0 / 60,
    ]
    private static let times = [
        "s": 1, "sec": 1, "ms": 0.001, "min": 60, "hr": 3600, "h": 3600, "d": 86_400, "us": 1e-6, "µs": 1e-6,
    ]
    private static let energies = [
        "kcal": 1, "Cal": 1, "cal": 0.001, "kJ": 1 / 4.184, "J": 0.001 / 4.184, "Wh": 3.6 / 4.184, "MJ": 1000 / 4.184,
    ]
    private static let lengths = [
        "m": 1, "km": 1000, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "in": 0.0254, "cm": 0.01, "mm": 0.001,
        "nmi": 1852, "miles": 1609.344, "meters": 1,
    ]
    private static let masses = [
        "kg": 1, "g": 0.001, "lb": 0.453_592_37, "lbs": 0.453_592_37, "st": 6.350_293_18, "oz": 0.028_349_523_125,
        "stone": 6.350_293_18, "mg": 1e-6,
    ]
    private static let oxygens =
        [
            "ml/min·kg": 1, "ml/kg·min": 1, "ml/(kg*min)": 1, "ml/(kg·min)": 1, "ml/kg/min": 1, "ml/(min·kg)": 1,
            "ml/kg*min": 1, "ml/min*kg": 1, "l/min·kg": 1000,
        ] as [String: Double]
    private static let speeds = [
        "m/s": 1, "km/hr": 1 / 3.6, "km/h": 1 / 3.6, "mi/hr": 0.447_04, "mph": 0.447_04, "kmph": 1 / 3.6,
        "ft/s": 0.3048,
    ]
}
