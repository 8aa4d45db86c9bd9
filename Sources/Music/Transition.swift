import Protocols

/// How smoothly one song follows another: tempo 0.4, energy 0.4, genre 0.2; where both keys are known they take 0.15 of
/// the whole. What is unknown counts 0.5, never 0.
package struct Transition: Sendable {
    /// Beats per minute, energy, at which the step counts as a break.
    package static let tempoLimit = 30.0
    package static let energyLimit = 0.4
    package static let tempoWeight = 0.4
    package static let energyWeight = 0.4
    package static let genreWeight = 0.2
    package static let keyShare = 0.15

    /// Likeliest tempo of the song before (NaN = unknown) and the confidence in it.
    package let bpm: Double
    package let tempoConfidence: Double
    package let energy: Double
    package let genres: Set<String>
    package let key: MusicalKey?

    package init(from song: Song) {
        let tempo = TempoCandidates(song.tempo)
        bpm = tempo.bpm[0]
        tempoConfidence = bpm.isNaN ? 0 : 1 - 2 * tempo.neutral
        energy = song.energy.flatMap { $0.isFinite ? min(max($0, 0), 1) : nil } ?? .nan
        genres = Set(song.genres.map(folded).filter { !$0.isEmpty })
        key = song.key.flatMap { MusicalKey($0) }
    }

    package init(from position: Int, of table: SongTable) {
        bpm = table.bpm[position]
        tempoConfidence = bpm.isNaN ? 0 : 1 - 2 * table.tempoNeutral[position]
        energy = table.energy[position]
        genres = table.genreSets[Int(table.genreSet[position])]
        key =
            table.key[position] < Int32(MusicalKey.count) ? MusicalKey(index: Int(table.key[position])) : nil
    }

    /// Value of sharing a genre, for every interned set of genres of `table`: 1 shared, 0 none shared, 0.5 unknown.
    package func genreScores(of table: SongTable) -> [Double] {
        table.genreSets.map { set in
            set.isEmpty || genres.isEmpty ? 0.5 : set.isDisjoint(with: genres) ? 0 : 1
        }
    }

    /// Compatibility for every key index and for "unknown" at the end; nil when the key before is unknown.
    package func keyScores() -> [Double]? {
        guard let key else { return nil }
        return (0..<MusicalKey.count).map { key.compatibility(with: MusicalKey(index: $0)) }
    }

    /// 0…1.
    package func score(to song: Song) -> Double {
        let table = SongTable([song])
        return score(to: 0, of: table)
    }

    /// 0…1.
    package func score(to position: Int, of table: SongTable) -> Double {
        var tempo = table.tempoNeutral[position]
        for (other, weight) in [
            (table.bpm[position], table.tempoWeight[position]),
            (table.secondBpm[position], table.secondWeight[position]),
            (table.thirdBpm[position], table.thirdWeight[position]),
        ] {
            let smooth = 1 - abs(other - bpm) / Self.tempoLimit
            tempo += weight * (smooth > 0 ? smooth : 0)
        }
        tempo = bpm.isNaN ? 0.5 : 0.5 + tempoConfidence * (tempo - 0.5)
        let step = abs(table.energy[position] - energy)
        let energyScore = step.isNaN ? 0.5 : max(0, 1 - step / Self.energyLimit)
        let set = table.genreSets[Int(table.genreSet[position])]
        let genre: Double = set.isEmpty || genres.isEmpty ? 0.5 : set.isDisjoint(with: genres) ? 0 : 1
        let base = Self.tempoWeight * tempo + Self.energyWeight * energyScore + Self.genreWeight * genre
        let index = Int(table.key[position])
        guard let key, index < MusicalKey.count else { return base }
        let harmony = key.compatibility(with: MusicalKey(index: index))
        return (1 - Self.keyShare) * base + Self.keyShare * harmony
    }
}
