import Foundation
import Physiology
import Protocols

/// A figure about the listener as it stands now: its value, how much it is worth after its age, and that age.
package struct Estimate: Codable, Hashable, Sendable {
    /// 0…1.
    package var value: Double
    /// 0…1, age already counted.
    package var confidence: Double
    package var ageSeconds: Double

    package init(value: Double, confidence: Double, ageSeconds: Double = 0) {
        self.value = min(max(value.isFinite ? value : 0.5, 0), 1)
        self.confidence = value.isFinite && confidence.isFinite ? min(max(confidence, 0), 1) : 0
        self.ageSeconds = max(0, ageSeconds.isFinite ? ageSeconds : 0)
    }

    package init(_ arousal: ArousalEstimate) {
        self.init(value: arousal.value, confidence: arousal.confidence, ageSeconds: arousal.ageSeconds ?? 0)
    }

    package init(_ stress: StressEstimate) {
        self.init(value: stress.score, confidence: stress.confidence, ageSeconds: stress.ageSeconds ?? 0)
    }

    /// A published reading, faded since it was made.
    package init(_ reading: StressReading, now: Timestamp) {
        let age = max(0, now.seconds(since: reading.at))
        self.init(
            value: reading.score,
            confidence: SourceConfidence.decayed(
                quality: reading.confidence, age: age, halfLife: SourceConfidence.HalfLife.stress),
            ageSeconds: age)
    }
}

/// The stress that the state rests on: `body/stress` while it is younger than 10 min, else the same function of the
/// live samples. While the live samples say that stress cannot be measured (movement, recovery) they decide.
package struct StressInput: Hashable, Sendable {
    package let estimate: Estimate?
    package let isFromBody: Bool
    package let gate: StressGate

    package static let longestUse = 600.0

    package init(reading: StressReading?, live: StressEstimate?, now: Timestamp) {
        let liveGate = live?.gate ?? .none
        if let reading, liveGate == .none, (0..<Self.longestUse).contains(now.seconds(since: reading.at)) {
            estimate = Estimate(reading, now: now)
            isFromBody = true
            gate = reading.gate.value ?? .none
        } else {
            estimate = live.map { Estimate($0) }
            isFromBody = false
            gate = liveGate
        }
    }
}
