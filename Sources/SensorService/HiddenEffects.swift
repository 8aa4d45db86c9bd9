import Physiology

/// What songs do to a simulated body: unknown to the DJ, known to the test that asks whether it was learnt.
package struct HiddenEffects: Hashable, Sendable {
    /// What one song does when it has been heard for a while.
    package struct Effect: Hashable, Codable, Sendable {
        /// Added to the heart rate at rest, beats per minute.
        package var bpm: Double
        /// Added to the stress, 0…1.
        package var stress: Double
    }

    let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// A common part of tempo and energy (fast and loud songs raise heart rate by a few beats: Bernardi et al., "Cardiovascular … changes
    /// induced by different types of music", Heart 92:445, 2006) and a part of the song's own.
    package func effect(of music: HeardMusic) -> Effect {
        var random = SplitMix64(seed: seed, name: music.songId)
        let energy = (music.energy ?? 0.5) - 0.5
        let tempo = ((music.tempoBpm ?? 115) - 115) / 60
        return Effect(
            bpm: 4 * energy + 2.5 * tempo + 1.5 * random.normal(),
            stress: 0.18 * energy + 0.06 * tempo + 0.05 * random.normal())
    }
}
