import Protocols

/// A tempo prepared for matching: likeliest tempo and up to two alternatives, each with the weight that its match has.
///
/// The match of a tempo with a target is `neutral + Σ weight · match(bpm)`; `neutral` is what doubt leaves at one half,
/// so an unknown tempo always matches by exactly 0.5. An unused place has weight 0 and tempo 0.
package struct TempoCandidates: Hashable, Sendable {
    package static let unknown = TempoCandidates(neutral: 0.5, bpm: [.nan, 0, 0], weight: [0, 0, 0])

    package let neutral: Double
    /// Beats per minute, likeliest first, shape `[3]`; NaN first when unknown.
    package let bpm: [Double]
    /// Confidence × probability, shape `[3]`.
    package let weight: [Double]

    private init(neutral: Double, bpm: [Double], weight: [Double]) {
        self.neutral = neutral
        self.bpm = bpm
        self.weight = weight
    }

    /// A tagged tempo (no candidates) is not folded; candidates of an analysis count by their probability.
    package init(_ tempo: TempoEstimate?) {
        guard let tempo, tempo.bpm.isFinite, tempo.bpm > 0, tempo.bpm < 1000 else {
            self = .unknown
            return
        }
        let confidence = min(max(tempo.confidence.isFinite ? tempo.confidence : 0, 0), 1)
        var places = tempo.candidates.filter { $0.bpm.isFinite && $0.bpm > 0 && $0.probability > 0 }
            .sorted { ($0.probability, $1.bpm) > ($1.probability, $0.bpm) }
        let isMain = { (bpm: Double) in abs(bpm - tempo.bpm) <= 0.01 * tempo.bpm }
        if let main = places.firstIndex(where: { isMain($0.bpm) }) {
            places.insert(places.remove(at: main), at: 0)
        } else {
            let rest = 1 - places.reduce(0) { $0 + $1.probability }
            let likeliest = places.first?.probability ?? 1
            places.insert(.init(bpm: tempo.bpm, probability: max(rest, likeliest)), at: 0)
        }
        let used = places.prefix(3)
        let total = used.reduce(0) { $0 + $1.probability }
        bpm = [tempo.bpm] + used.dropFirst().map(\.bpm) + Array(repeating: 0, count: 3 - used.count)
        weight = used.map { confidence * $0.probability / total } + Array(repeating: 0, count: 3 - used.count)
        neutral = 0.5 * (1 - confidence)
    }

    /// Match with `target` in beats per minute: 1 at the target, 0 at `tolerance` away or further, 0.5 when unknown.
    package func match(target: Double, tolerance: Double) -> Double {
        var sum = neutral
        for place in 0..<3 {
            let match = 1 - abs(bpm[place] - target) / tolerance
            sum += weight[place] * (match > 0 ? match : 0)
        }
        return sum
    }
}
