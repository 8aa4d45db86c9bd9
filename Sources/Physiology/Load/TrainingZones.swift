/// Bounds of zones as shares of a threshold, and the seconds spent in each.
package struct TrainingZones: Hashable, Codable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case power, heartRate, pace
    }

    /// One zone: from above `from` up to and including `to`, in the unit of the threshold.
    package struct Zone: Hashable, Codable, Sendable {
        package var name: String
        package var from: Double
        /// Absent for the highest zone.
        package var to: Double?
        package var seconds: Double

        package init(name: String, from: Double, to: Double?, seconds: Double) {
            self.name = name
            self.from = from
            self.to = to
            self.seconds = seconds
        }
    }

    package var kind: Kind
    /// W, beats per minute or m/s.
    package var threshold: Double
    package var zones: [Zone]

    /// Shares of the threshold at which zones end.
    ///
    /// Sources: power, Coggan's seven levels (Allen and Coggan); heart rate, the five levels of the threshold heart rate
    /// in Allen and Coggan; pace, Friel's seven zones of running, as shares of speed.
    package static func shares(of kind: Kind) -> [Double] {
        switch kind {
        case .power: [0.55, 0.75, 0.90, 1.05, 1.20, 1.50]
        case .heartRate: [0.68, 0.83, 0.94, 1.05]
        case .pace: [1 / 1.29, 1 / 1.14, 1 / 1.06, 1 / 1.01, 1 / 0.97, 1 / 0.90]
        }
    }

    static func names(of kind: Kind) -> [String] {
        switch kind {
        case .power:
            ["Recovery", "Endurance", "Tempo", "Threshold", "VO2max", "Anaerobic", "Neuromuscular"]
        case .heartRate: ["Recovery", "Endurance", "Tempo", "Threshold", "VO2max"]
        case .pace: ["Recovery", "Endurance", "Tempo", "Subthreshold", "Threshold", "VO2max", "Anaerobic"]
        }
    }

    /// - Parameters:
    ///   - threshold: in the unit of the bins, above 0.
    ///   - secondsByBin: seconds at `index · binWidth`; for heart rates the bin of 0 is "no contact" and left out.
    package init(kind: Kind, threshold: Double, secondsByBin: [Double], binWidth: Double = 1) {
        self.kind = kind
        self.threshold = threshold
        let bounds = Self.shares(of: kind).map { $0 * threshold }
        let edges = [0] + bounds
        zones = Self.names(of: kind).enumerated().map { index, name in
            Zone(
                name: name, from: edges[index], to: index < bounds.count ? bounds[index] : nil, seconds: 0)
        }
        for (index, seconds) in secondsByBin.enumerated() where seconds > 0 {
            let value = Double(index) * binWidth
            if kind == .heartRate, value <= 0 { continue }
            let zone = bounds.firstIndex { value <= $0 } ?? bounds.count
            zones[zone].seconds += seconds
        }
    }
}
