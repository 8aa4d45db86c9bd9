import Physiology

/// What happens to whom and when: all of it follows from the seed.
struct FaultPlan: Sendable {
    enum Kind: Sendable, Equatable {
        /// kill -9; it comes back after so many seconds.
        case kill(awaySeconds: Double)
        /// SIGSTOP, and SIGCONT after so many seconds.
        case freeze(seconds: Double)
    }

    enum Target: Hashable, Sendable, CustomStringConvertible {
        case hub
        case process(Role)
        var description: String {
            switch self {
            case .hub: "hub"
            case .process(let role): role.rawValue
            }
        }
    }

    struct Fault: Sendable, CustomStringConvertible {
        let atSeconds: Double
        let target: Target
        let kind: Kind

        var description: String {
            let what =
                switch kind {
                case .kill(let away): "kill -9, back after \(FaultPlan.text(away)) s"
                case .freeze(let seconds): "frozen for \(FaultPlan.text(seconds)) s"
                }
            return "\(FaultPlan.text(atSeconds)) s: \(target) \(what)"
        }
    }

    let seed: UInt64
    let seconds: Double
    /// In order of time. Two faults of one target never overlap.
    let faults: [Fault]
    /// From here on the hub, the readers and the sensor are only frozen: lives long enough to judge books and memory by.
    var longLivesFrom: Double { seconds / 2 }

    static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

    init(seed: UInt64, seconds: Double) {
        self.seed = seed
        self.seconds = seconds
        var random = SplitMix64(seed: seed, name: "chaos")
        var faults: [Fault] = []
        var busyUntil: [Target: Double] = [:]
        var time = 4.0
        func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * random.uniform() }
        let half = seconds / 2
        while time < seconds {
            let isLate = time >= half
            let roll = random.uniform()
            let target: Target =
                roll < 0.2 ? .hub : .process(Role.regulars[Int(between(0, Double(Role.regulars.count)))])
            let mayDie =
                !isLate || target == .process(.player) || target == .process(.librarian)
                || target == .process(.context)
            let kind: Kind =
                mayDie && random.uniform() < 0.6
                ? .kill(awaySeconds: between(0.05, 1.5)) : .freeze(seconds: between(0.3, 4))
            // The last lives of the publishers begin under the eyes of the last lives of the readers.
            if busyUntil[target] ?? 0 < time { faults.append(Fault(atSeconds: time, target: target, kind: kind)) }
            let duration =
                switch kind {
                case .kill(let away): away
                case .freeze(let seconds): seconds
                }
            busyUntil[target] = max(busyUntil[target] ?? 0, time + duration + 1)
            time += between(0.7, 4.5)
        }
        let rebirth = half + 6
        faults.removeAll { $0.target == .process(.sensor) && abs($0.atSeconds - rebirth) < 6 }
        if rebirth < seconds {
            faults.append(
                Fault(atSeconds: rebirth, target: .process(.sensor), kind: .kill(awaySeconds: 0.2)))
        }
        self.faults = faults.sorted { $0.atSeconds < $1.atSeconds }
    }
}
