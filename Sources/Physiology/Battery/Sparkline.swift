/// A row of bars for a terminal: `▁▂▃▅▇▆▅ 45→78`.
package enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// - Parameters:
    ///   - values: oldest first; a missing one is a blank.
    ///   - range: what the lowest and the highest bar stand for; nil = the values' own.
    package static func text(_ values: [Double?], range: ClosedRange<Double>? = nil) -> String {
        let known = values.compactMap { $0 }
        guard let lowest = known.min(), let highest = known.max() else {
            return String(repeating: " ", count: values.count)
        }
        let (low, high) = range.map { ($0.lowerBound, $0.upperBound) } ?? (lowest, highest)
        return String(
            values.map { value in
                guard let value else { return " " }
                let share = high > low ? (value - low) / (high - low) : 0.5
                return bars[min(max(Int(share * Double(bars.count)), 0), bars.count - 1)]
            })
    }

    /// With the first and the last known value behind it.
    package static func battery(_ values: [Int?]) -> String {
        let known = values.compactMap { $0 }
        let bars = text(values.map { $0.map(Double.init) }, range: 0...100)
        guard let first = known.first, let last = known.last else { return bars }
        return "\(bars) \(first)→\(last)"
    }
}
