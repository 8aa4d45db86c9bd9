package enum ActivityContext: String, Codable, Hashable, Sendable, CaseIterable {
    case workout, postWorkout, work, deepWork, commute, relaxation, preSleep, morning, social, unknown
}

package enum MusicNeed: String, Codable, Hashable, Sendable, CaseIterable {
    case energize, calm, focus, maintain, transition
}

/// How the listener is, on scales of 0…1 that are defined in `docs/architecture.md`.
package struct StateVector: Message {
    package var at: Timestamp
    /// 0…1: 0 at rest, 0.3 on an ordinary still moment, 1 at the maximum heart rate.
    package var arousal: Double
    /// 0…1, pulled to 0.5 by missing confidence.
    package var energy: Double
    /// 0…1, likewise.
    package var focus: Double
    /// 0…1: 0.40 on an average moment, 0.72 at 1.5 standard deviations above.
    package var stress: Double
    /// 0…1: 0 sad, 1 happy.
    package var valence: Double
    /// What the listener does.
    package var activityContext: Open<ActivityContext>
    /// What the music is to do.
    package var need: Open<MusicNeed>
    /// 0…1: 1 − Π(1 − cᵢ wᵢ) over the sources.
    package var confidence: Double
    /// What it rests on, with ages.
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
