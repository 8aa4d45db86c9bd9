import Decisions
import Foundation
import Music
import Physiology
import Protocols
import Testing

struct GuardTests {
    private func decide(
        _ songs: [Song], recent: [RecentPlay] = [], hour: Double = 14, state: StateVector = aState(),
        preferences: Preferences = Preferences(), mood: Mood? = nil, nudges: CrownNudges = CrownNudges(),
        proposal: Proposal? = nil, seed: UInt64 = 1, hasPlaylist: Bool = true
    ) -> Decision {
        var generator = SplitMix64(seed: seed)
        return DecisionMaker.decide(
            DecisionInput(
                now: monday(hour), timeZone: utc, state: state, table: SongTable(songs), recent: recent, mood: mood,
                nudges: nudges, preferences: preferences, proposal: proposal, hasPlaylist: hasPlaylist),
            using: &generator)
    }

    private func library(_ count: Int, bpm: Double = 100, energy: Double = 0.4, artists: Int? = nil) -> [Song] {
        (0..<count).map {
            aSong("s\($0)", bpm: bpm, energy: energy, artist: "Artist \($0 % (artists ?? count))")
        }
    }

    @Test func `an empty pool is a clear state`() {
        #expect(decide([], hasPlaylist: false).empty == .noPlaylist)
        #expect(decide([]).empty == .emptyPlaylist)
        var silent = aSong("a")
        silent.playable = false
        #expect(decide([silent]).empty == .nothingPlayable)
        var preferences = Preferences()
        preferences.neverPlay = ["a"]
        #expect(decide([aSong("a")], preferences: preferences).empty == .allNeverPlay)
        #expect(decide([]).song == nil)
    }

    @Test func `the never-play list holds for songs and for artists, and never gives way`() {
        var preferences = Preferences()
        preferences.neverPlay = ["s1", "artist:The Band"]
        var songs = library(3)
        songs[2].artist = "The Band feat. Somebody"
        for seed in UInt64(0)..<30 {
            let decision = decide(
                songs, recent: [play(songs[0], ended: monday(13.99))], preferences: preferences, seed: seed)
            #expect(decision.song?.id == "s0")
            #expect(decision.relaxations == ["songWindow"])
            #expect(decision.breaches.isEmpty)
        }
    }

    @Test func `a song and its other versions stay away for the window`() {
        var songs = library(60)
        songs[1] = aSong("s1", bpm: 100, energy: 0.4, title: songs[0].title + " (Live)", artist: songs[0].artist)
        let early = decide(
            songs, recent: [play(songs[0], ended: monday(13.1))], proposal: .init(songId: "s1", from: "dj"))
        #expect(early.proposalBlockedBy == [.otherVersions])
        #expect(early.song?.id != "s1")
        let late = decide(
            songs, recent: [play(songs[0], ended: monday(12.9))], proposal: .init(songId: "s1", from: "dj"))
        #expect(late.song?.id == "s1")
        #expect(late.pick == .adviser)
    }

    /// By hand: 8 songs of 200 s play 1600 s, half of it is 800 s.
    @Test func `the song window is at most half the playing time of the pool`() {
        let songs = library(8)
        let table = SongTable(songs)
        func window(_ recent: [RecentPlay]) -> GuardPass {
            GuardPass(
                table: table,
                recent: RecentPlays(recent, in: table, now: monday(14), preferences: Preferences()),
                preferences: Preferences(), limits: nil)
        }
        #expect(window([]).songWindow == 800)
        let other = play(songs[5], ended: monday(13.99))
        #expect(window([play(songs[0], ended: monday(14).adding(seconds: -799)), other]).masks[0] & 4 != 0)
        #expect(window([play(songs[0], ended: monday(14).adding(seconds: -801)), other]).masks[0] == 0)
    }

    /// By hand: 11 artists give 30 min · 10/20 = 15 min; 21 and more give all of it; one gives none.
    @Test(arguments: [(11, 900.0), (21, 1800), (40, 1800), (1, 0)])
    func `the artist window is scaled by the number of artists`(artists: Int, seconds: Double) {
        let table = SongTable(library(80, artists: artists))
        let pass = GuardPass(
            table: table, recent: RecentPlays([], in: table, now: monday(14), preferences: Preferences()),
            preferences: Preferences(), limits: nil)
        #expect(pass.artistWindow == seconds)
    }

    @Test func `two of one artist in a row are enough`() {
        let songs = library(20, artists: 2)
        let twice = [play(songs[0], ended: monday(13.8)), play(songs[2], ended: monday(13.9))]
        for seed in UInt64(0)..<20 {
            let decision = decide(songs, recent: twice, seed: seed)
            #expect(decision.song?.artist == "Artist 1")
            #expect(decision.guardsApplied.contains(.artistInRow))
        }
    }

    @Test func `with one artist alone the row gives way and says so`() {
        let songs = library(20, artists: 1)
        let decision = decide(
            songs, recent: [play(songs[0], ended: monday(13.8)), play(songs[2], ended: monday(13.9))])
        #expect(decision.song != nil)
        #expect(decision.relaxations == ["artistInRow"])
    }

    @Test func `at night nothing fast is picked, and by day it is`() {
        let songs = library(10, bpm: 150, energy: 0.9) + [aSong("slow", bpm: 95, energy: 0.5)]
        let lively = aState(.energize, energy: 0.2)
        for seed in UInt64(0)..<30 {
            #expect(decide(songs, hour: 23, state: lively, seed: seed).song?.id == "slow")
            #expect(decide(songs, hour: 7, state: lively, seed: seed).song?.id == "slow")
        }
        #expect(decide(songs, hour: 14, state: lively).song?.id != "slow")
    }

    @Test func `an unknown tempo passes the night only with low energy`() {
        let songs = [aSong("loud", energy: 0.8), aSong("soft", energy: 0.4), aSong("dark")]
        for seed in UInt64(0)..<20 { #expect(decide(songs, hour: 23, seed: seed).song?.id == "soft") }
    }

    @Test func `the limits of the hour yield to a workout, a lively mood, the crown and a request`() {
        let songs = library(10, bpm: 150, energy: 0.9) + [aSong("slow", bpm: 70, energy: 0.1)]
        let lively = aState(.energize, .workout, energy: 0.2)
        #expect(decide(songs, hour: 23, state: lively).song?.id != "slow")
        var nudges = CrownNudges()
        nudges.apply(Nudge(at: monday(23), delta: 1, kind: .energy))
        let nudged = decide(songs, hour: 23, state: aState(.energize, energy: 0.2), nudges: nudges)
        #expect(nudged.waiver == .nudge)
        #expect(nudged.song?.id != "slow")
        let mood = Mood(MoodInput(at: monday(23), mood: 5, energy: 5, via: "test"))
        #expect(decide(songs, hour: 23.1, state: aState(.energize), mood: mood).song?.id != "slow")
        #expect(decide(songs, hour: 23.3, state: aState(.energize), mood: mood).song?.id == "slow")
        let request = decide(songs, hour: 23, proposal: .init(songId: "s3", from: "user"))
        #expect(request.song?.id == "s3")
        #expect(request.pick == .user)
        #expect(request.probability == 1)
        let advice = decide(songs, hour: 23, proposal: .init(songId: "s3", from: "dj"))
        #expect(advice.song?.id == "slow")
        #expect(advice.proposalBlockedBy == [.timeOfDay])
    }

    @Test func `the only song plays again, the song just played never does while there is another`() {
        let one = [aSong("a", bpm: 100, energy: 0.4)]
        let again = decide(one, recent: [play(one[0], ended: monday(14))])
        #expect(again.song?.id == "a")
        #expect(again.relaxations.contains("songWindow"))
        let two = one + [aSong("b", bpm: 100, energy: 0.4)]
        for seed in UInt64(0)..<20 {
            let decision = decide(
                two, recent: [play(two[1], ended: monday(13.95)), play(two[0], ended: monday(14))], seed: seed)
            #expect(decision.song?.id == "b")
        }
    }

    @Test func `only what has to give way gives way`() {
        // All six songs were played within the last minutes, the only slow one first: the night limit can hold.
        let songs = [aSong("slow", bpm: 70, energy: 0.1)] + library(5, bpm: 150, energy: 0.9)
        let recent = songs.enumerated().map { play($1, ended: monday(23).adding(seconds: Double(-60 * (6 - $0)))) }
        let decision = decide(songs, recent: recent, hour: 23)
        #expect(decision.song?.id == "slow")
        #expect(decision.relaxations == ["artistWindow", "songWindow"])
        #expect(decision.breaches.isEmpty)
    }

    @Test func `a proposal from outside the chosen playlists is turned down`() {
        let decision = decide(library(5), proposal: .init(songId: "elsewhere", from: "user"))
        #expect(decision.pick == .ai)
        #expect(decision.proposalBlockedBy == [.sourcePlaylists])
    }

    /// Plays whole evenings from random pools and checks every pick against the rules in plain words.
    @Test(arguments: 0..<60) func `in thousands of picks from random pools no rule is broken unsaid`(seed: UInt64) {
        var generator = SplitMix64(seed: 1000 + seed)
        let songs = randomSongs(
            Int(generator.next() % 60) + 1, artists: Int(generator.next() % 12) + 1, using: &generator)
        let table = SongTable(songs)
        var preferences = Preferences()
        if seed % 3 == 0 { preferences.neverPlay = [songs[0].id] }
        var now = monday(Double(generator.next() % 24))
        var played: [RecentPlay] = []
        var last: Song?
        for _ in 0..<60 {
            let state = aState(
                MusicNeed.allCases[Int(generator.next() % 5)], seed % 5 == 0 ? .workout : .unknown, at: now)
            let decision = DecisionMaker.decide(
                DecisionInput(
                    now: now, timeZone: utc, state: state, table: table, recent: played, lastSong: last,
                    preferences: preferences),
                using: &generator)
            guard let song = decision.song, let position = decision.position else {
                #expect(songs.allSatisfy { !$0.playable || preferences.neverPlay.contains($0.id) })
                return
            }
            #expect(decision.breaches.isEmpty)
            #expect(songs[position].playable)
            #expect(!preferences.neverPlay.contains(song.id))
            // In plain words, apart from the masks.
            let pool = songs.filter { $0.playable && !preferences.neverPlay.contains($0.id) }
            let half = pool.reduce(0) { $0 + (($1.durationMs).map { Double($0) / 1000 } ?? 210) } / 2
            let window = min(3600, half)
            if !decision.relaxations.contains("songWindow") {
                #expect(!played.contains { $0.song.id == song.id && now.seconds(since: $0.endedAt ?? now) < window })
            }
            if !decision.relaxations.contains("otherVersions"), !decision.relaxations.contains("songWindow") {
                let base = song.title.replacing(" (Live)", with: "")
                #expect(
                    !played.contains {
                        $0.song.artist == song.artist && $0.song.title.replacing(" (Live)", with: "") == base
                            && now.seconds(since: $0.endedAt ?? now) < window
                    })
            }
            if !decision.relaxations.contains("artistInRow"), played.count >= 2 {
                #expect(!played.suffix(2).allSatisfy { $0.song.artist == song.artist })
            }
            let hour = LocalTime(now, in: utc).hour
            if seed % 5 != 0, !decision.relaxations.contains("timeOfDay"), let bpm = songs[position].tempo?.bpm {
                if hour >= 21 || hour < 6 { #expect(bpm <= 100) }
                if (6..<9).contains(hour) { #expect(bpm <= 120) }
            }
            if pool.count > 1 { #expect(played.last?.song.id != song.id) }
            let seconds = songs[position].durationMs.map { Double($0) / 1000 } ?? 210
            played.append(RecentPlay(song: song, startedAt: now, endedAt: now.adding(seconds: seconds)))
            now = now.adding(seconds: seconds)
            last = songs[position]
        }
    }
}
