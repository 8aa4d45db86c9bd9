import Learning
import Physiology
import Protocols

enum TestPlay {
    static let features = SongFeatures(bpm: 80, energy: 0.3, valence: 0.5)

    static func play(
        _ song: String = "song", id: String = "play", share: Double = 1, outcome: PlayOutcome, body: BodyWindow?
    ) -> PlayObservation {
        PlayObservation(
            playId: id, songId: song, features: features, activityContext: .work, slot: "morning", need: .calm,
            endedAt: Timestamp(milliseconds: 1_700_000_000_000), listenedMs: Int64(200_000 * share),
            durationMs: 200_000, outcome: outcome, body: body)
    }

    static func window(
        bpm: Double, change: Double, rmssd: Double? = nil, rmssdChange: Double = 0, seconds: Double = 200
    ) -> BodyWindow {
        BodyWindow(
            bpmStart: bpm, bpmEnd: bpm + change, rmssdStartMs: rmssd, rmssdEndMs: rmssd.map { $0 + rmssdChange },
            seconds: seconds)
    }
}

/// SplitMix64 (Steele et al. 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Standard normal, by twelve uniform numbers.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &self) } }
}
