import Decisions
import Foundation
import Music
import Physiology
import Protocols

/// 2026-03-02, a Monday, at so many hours UTC.
func monday(_ hour: Double) -> Timestamp {
    Timestamp(milliseconds: 1_772_409_600_000 + Int64(hour * 3_600_000))
}

let utc = TimeZone(secondsFromGMT: 0) ?? .current

func aState(
    _ need: MusicNeed = .maintain, _ context: ActivityContext = .unknown, at: Timestamp = monday(14),
    arousal: Double = 0.5, energy: Double = 0.5, focus: Double = 0.5, stress: Double = 0.4, bpm: Double? = nil,
    sources: [SourceAge] = []
) -> StateVector {
    StateVector(
        at: at, arousal: arousal, energy: energy, focus: focus, stress: stress, valence: 0.5, activityContext: context,
        need: need, confidence: 0.8, sources: sources, bpm: bpm)
}

func aSong(
    _ id: String, bpm: Double? = nil, energy: Double? = nil, title: String? = nil, artist: String? = nil,
    seconds: Double = 200
) -> Song {
    Song(
        id: id, title: title ?? "Title \(id)", artist: artist ?? "Artist \(id)", durationMs: Int64(seconds * 1000),
        tempo: bpm.map { TempoEstimate(bpm: $0, confidence: 1, source: "tag") }, energy: energy)
}

func play(_ song: Song, ended: Timestamp) -> RecentPlay {
    RecentPlay(
        song: song.ref, startedAt: ended.adding(milliseconds: -(song.durationMs ?? 200_000)), endedAt: ended)
}

/// Songs with features of every kind, some unknown, few artists, some versions: a seeded pool.
func randomSongs(_ count: Int, artists: Int, using generator: inout SplitMix64) -> [Song] {
    func fraction() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
    func known() -> Double? { fraction() < 0.8 ? fraction() : nil }
    return (0..<count).map { index in
        let base = "Song \(Int(fraction() * Double(count)))"
        let bpm = 60 + 120 * fraction()
        var song = Song(
            id: "id-\(index)", title: fraction() < 0.2 ? base + " (Live)" : base,
            artist: "Artist \(Int(fraction() * Double(artists)))", genres: fraction() < 0.5 ? ["rock"] : [],
            durationMs: fraction() < 0.9 ? Int64(120_000 + 240_000 * fraction()) : nil,
            tempo: fraction() < 0.8
                ? TempoEstimate(
                    bpm: bpm, confidence: fraction(),
                    candidates: fraction() < 0.3
                        ? [.init(bpm: bpm, probability: 0.6), .init(bpm: bpm / 2, probability: 0.4)] : [],
                    source: "analysis") : nil,
            energy: known(), valence: known(), instrumentalness: known(), acousticDensity: known(),
            key: fraction() < 0.5 ? "Am" : nil)
        song.playable = fraction() < 0.95
        return song
    }
}

func randomDynamics(_ count: Int, using generator: inout SplitMix64) -> SongDynamics {
    func fraction() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
    var dynamics = SongDynamics(count: count)
    for index in 0..<count {
        dynamics.familiarity[index] = fraction()
        dynamics.calm[index] = fraction()
        dynamics.focus[index] = fraction()
        dynamics.energy[index] = fraction()
        dynamics.effectConfidence[index] = fraction()
        dynamics.effectPlays[index] = Int32(fraction() * 20)
        dynamics.learned[index] = 0.1 * (fraction() - 0.5)
        dynamics.satiation[index] = fraction()
    }
    return dynamics
}
