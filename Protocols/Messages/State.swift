package enum ActivityContext: String, Codable, Hashable, Sendable, CaseIterable {
    case workout, postWorkout, work, deepWork, commute, relaxation, preSleep, morning, social, unknown
}

package enum MusicNeed: String, Codable, Hashable, Sendable, CaseIterable {
    case energize, calm, focus, maintain, transition
}

/// How the listener is, on scales of 0…1 that are defined in `docs/architecture.md`.
package struct StateVector: Message {
    package var at: Timestamp
    package var arousal: Double
    package var energy: Double
    package var focus: Double
    package var stress: Double
    package var valence: Double
    package var activityContext: Open<ActivityContext>
    package var need: Open<MusicNeed>
    /// 0…1: 1 − Π(1 − cᵢ wᵢ) over the sources.
    package var confidence: Double
    package var sources: [SourceAge]
    /// Why no stress level is measured right now, if so.
    package var stressGate: Open<StressGate>?
    /// The newest heart rate behind it, beats per minute.
    package var bpm: Double?

    package init(
        at: Timestamp, arousal: Double, energy: Double, focus: Double, stress: Double, valence: Double,
        activityContext: ActivityContext, need: MusicNeed, confidence: Double, sources: [SourceAge],
        stressGate: StressGate? = nil, bpm: Double? = nil
    ) {
        self.at = at
        self.arousal = arousal
        self.energy = energy
        self.focus = focus
        self.stress = stress
        self.valence = valence
        self.activityContext = Open(activityContext)
        self.need = Open(need)
        self.confidence = confidence
        self.sources = sources
        self.stressGate = stressGate.map { Open($0) }
        self.bpm = bpm
    }
}
