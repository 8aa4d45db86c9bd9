import Decisions
import Foundation
import Music
import Physiology
import Protocols
import Testing

/// Picks from 2,329 real songs.
struct RealLibraryTests {
    /// Songs by "artist/title" as the playlists name them.
    private static let library: [String: Song] = {
        guard let file = sharedData?.appending(path: "library/songs.csv"),
            let text = try? String(contentsOf: file, encoding: .utf8)
        else { return [:] }
        var songs: [String: Song] = [:]
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let cells = cells(of: line)
            guard cells.count >= 11 else { continue }
            songs["\(cells[1])/\(cells[0])"] = Song(
                id: "\(cells[1])/\(cells[0])", title: cells[0], artist: cells[1], genres: [cells[2]],
                durationMs: Double(cells[10]).map { Int64($0 * 1000) },
                tempo: Double(cells[4]).map { TempoEstimate(bpm: $0, confidence: 0.8, source: "csv") },
                energy: Double(cells[5]), valence: Double(cells[6]), acousticness: Double(cells[7]))
        }
        return songs
    }()

    /// One line of comma-separated values, with quoted cells.
    private static func cells(of line: Substring) -> [String] {
        var cells = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: cells.append("")
            default: cells[cells.count - 1].append(character)
            }
        }
        return cells
    }

    static func playlist(_ name: String) throws -> [Song] {
        let file = try #require(sharedData).appending(path: "library/\(name).m3u8")
        let entries = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("#") }.map { String($0.dropLast(4)) }
        let songs = entries.compactMap { library[$0] }
        try #require(Double(songs.count) >= 0.9 * Double(entries.count))
        return songs
    }

    private struct Listening {
        var picks: [Song] = []
        var relaxations: [String: Int] = [:]
        var breaches = 0
    }

    /// Plays song after song as they are picked.
    private func listen(
        _ songs: [Song], picks: Int, from hour: Double, seed: UInt64 = 1, state: (Timestamp) -> StateVector
    ) throws -> Listening {
        let table = SongTable(songs)
        var generator = SplitMix64(seed: seed)
        var now = monday(hour)
        var result = Listening()
        var plays: [RecentPlay] = []
        for _ in 0..<picks {
            let decision = DecisionMaker.decide(
                DecisionInput(
                    now: now, timeZone: utc, state: state(now), table: table, recent: plays,
                    lastSong: result.picks.last),
                using: &generator)
            let song = songs[try #require(decision.position)]
            for name in decision.relaxations { result.relaxations[name, default: 0] += 1 }
            result.breaches += decision.breaches.count
            let end = now.adding(milliseconds: song.durationMs ?? 200_000)
            plays = plays.suffix(60) + [RecentPlay(song: song.ref, startedAt: now, endedAt: end)]
            result.picks.append(song)
            now = end
        }
        return result
    }

    @Test(
        .enabled(if: sharedData != nil, needsSharedData),
        arguments: ["Everything", "Running", "Rock and roll", "Quiet evening", "Eight songs", "One artist"])
    func `500 picks of a day break no rule, and rules give way only in the two tiny playlists`(name: String) throws {
        let songs = try Self.playlist(name)
        let listening = try listen(songs, picks: 500, from: 9) { now in
            let hour = LocalTime(now, in: utc).hour
            if hour >= 22 || hour < 6 { return aState(.calm, .preSleep, at: now, arousal: 0.2) }
            return hour % 3 == 0 ? aState(.focus, .deepWork, at: now) : aState(.maintain, .unknown, at: now)
        }
        #expect(listening.breaches == 0)
        if name == "One artist" {
            #expect(listening.relaxations["artistInRow"] ?? 0 > 400)
        } else if songs.allSatisfy({ $0.tempo.map { $0.bpm > 100 } ?? false }) {
            // Nothing in it is slow enough for the night.
            #expect(listening.relaxations.keys.allSatisfy { $0 == "timeOfDay" }, "\(name): \(listening.relaxations)")
        } else if name != "Eight songs" {
            #expect(listening.relaxations.isEmpty, "\(name): \(listening.relaxations)")
        }
    }

    @Test(.enabled(if: sharedData != nil, needsSharedData))
    func `what is played differs between deep work, a run, the time after it and the evening`() throws {
        let songs = try Self.playlist("Everything")
        func means(_ state: StateVector, _ hour: Double) throws -> (bpm: Double, energy: Double) {
            let picks = try listen(songs, picks: 40, from: hour) { _ in state }.picks
            let bpm = picks.compactMap { $0.tempo?.bpm }
            let energy = picks.compactMap(\.energy)
            return (bpm.reduce(0, +) / Double(bpm.count), energy.reduce(0, +) / Double(energy.count))
        }
        let work = try means(aState(.focus, .deepWork, arousal: 0.3, energy: 0.4), 10)
        let run = try means(aState(.energize, .workout, arousal: 0.8, energy: 0.45), 16)
        let after = try means(aState(.calm, .postWorkout, arousal: 0.7, energy: 0.6), 18)
        let night = try means(aState(.calm, .preSleep, arousal: 0.2, energy: 0.3), 22)
        #expect(run.bpm > work.bpm + 25)
        #expect(run.energy > work.energy + 0.3)
        #expect(after.bpm < run.bpm - 30)
        #expect(after.energy < run.energy - 0.3)
        #expect(night.bpm < 100)
        #expect(night.energy < work.energy)
    }
}
