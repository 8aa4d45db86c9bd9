import Protocols

/// An invented library: tempo 60…174, energy and valence that mostly go with it, 30 artists unless told otherwise.
enum TestSongs {
    static func all(count: Int = 120, seconds: Int64 = 180, artists: Int = 30) -> [Song] {
        (0..<count).map { index in
            // Multiplication by a unit modulo a prime: spread evenly and the same everywhere.
            let spread = (index * 37) % 113
            let bpm = 60 + Double(spread) * 114 / 112
            let wobble = Double((index * 53) % 41 - 20) / 200
            let energy = min(0.97, max(0.05, (bpm - 60) / 114 * 0.85 + 0.08 + wobble))
            return Song(
                id: "song-\(index)", title: "Title \(word(index))", artist: "Artist \(index % artists)",
                genres: [["ambient", "rock", "pop", "jazz"][index % 4]], durationMs: seconds * 1000,
                tempo: TempoEstimate(bpm: bpm, confidence: 0.9, source: "csv"), energy: energy,
                valence: min(1, max(0, 0.5 + wobble * 4)), instrumentalness: index.isMultiple(of: 3) ? 0.8 : 0.1)
        }
    }

    static func bpm(_ id: String, in songs: [Song]) -> Double? { songs.first { $0.id == id }?.tempo?.bpm }
    static func energy(_ id: String, in songs: [Song]) -> Double? { songs.first { $0.id == id }?.energy }

    /// Titles that are no versions of each other.
    private static func word(_ index: Int) -> String {
        let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"]
        return syllables[index / 100 % 10] + syllables[index / 10 % 10] + syllables[index % 10]
    }
}
