import BrainService
import Bus
import Foundation
import GRDB
import Protocols
import Store
import Testing

/// Deaths, absences, repetitions and full disks: the music goes on and nothing stored is lost.
struct LifeTests {
    @Test func `killed in the middle of a song, it goes on with the same play and session`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 4, bpm: 66)
        let before = try await house.status()
        let song = try #require(before.now.song)
        let played = try house.played().count

        house.bus.remove(.brain)
        await house.live(minutes: 0.5, bpm: 66)
        try house.addBrain()
        await house.live(minutes: 0.5, bpm: 66)
        let after = try await house.status()
        #expect(after.now.song?.id == song.id)
        #expect(after.now.startedAt == before.now.startedAt)
        #expect(after.sessionId == before.sessionId)
        #expect(try house.played().count == played)

        await house.live(minutes: 3, bpm: 66)
        let ended = try #require(try house.played().dropFirst(played).first)
        #expect(ended.song.id == song.id)
        #expect(ended.outcome == .finished)
        #expect(ended.listenedMs == 180_000)
        #expect(try house.played().allSatisfy { $0.outcome == .finished })
        #expect(try await house.status().now.playing)
    }

    @Test func `dead over the end of a song, it hears of it afterwards and counts it once`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 2.5, bpm: 66)
        house.bus.remove(.brain)
        await house.live(minutes: 2, bpm: 66)
        try house.addBrain()
        await house.live(minutes: 6, bpm: 66)
        let played = try house.played()
        #expect(Set(played.map(\.playId)).count == played.count)
        #expect(played.allSatisfy { $0.outcome == .finished })
        #expect(try await house.status().now.playing)
        let history = try await house.bus.request(ListHistory())
        #expect(history.plays.count == played.count)
    }

    @Test func `a player that dies loses the play, and the music goes on with the next`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 2, bpm: 66)
        let song = try #require(try await house.status().now.song)
        house.bus.remove("player-stub")
        await house.live(minutes: 0.5, bpm: 66)
        #expect(try await house.status().now.notice?.contains("player") == true)
        house.addPlayer()
        await house.live(minutes: 1, bpm: 66)
        let lost = try #require(try house.played().last)
        #expect(lost.song.id == song.id)
        #expect(lost.outcome == .lost)
        #expect(lost.listenedMs <= 125_000 && lost.listenedMs >= 80_000)
        let now = try await house.status().now
        #expect(now.playing)
        #expect(now.notice == nil)
        #expect(now.song?.id != song.id)
        // A lost play is no skip.
        #expect(try await house.bus.request(ListSessions()).sessions.allSatisfy { $0.skips == 0 })
    }

    @Test func `the same event twice changes nothing`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        let brain = try buildBrainInMemory(house)
        house.bus.remove(.brain)
        house.bus.add(brain, as: .brain)
        await house.live(minutes: 7, bpm: 66)
        let events = house.bus.published.filter { $0.topic.hasPrefix("player/event") }
        let before = try await house.status()
        let plays = try await house.bus.request(ListHistory()).plays
        let messages = try house.played().count
        for event in events + events.reversed() {
            try await brain.receive(.message(event), bus: house.bus.port(of: .brain))
        }
        await house.bus.step(to: house.bus.now)
        #expect(try await house.bus.request(ListHistory()).plays == plays)
        #expect(try house.played().count == messages)
        #expect(try await house.status().now.song == before.now.song)
        #expect(try await house.status().decisions == before.decisions)
    }

    private func buildBrainInMemory(_ house: House) throws -> BrainService {
        try BrainService(
            environment: house.environment, options: BrainOptions(playlists: ["All"], autoplay: true),
            disk: BrainDisk(directory: nil))
    }

    @Test func `what was learnt survives a restart, and undo takes it away`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        house.tellBaseline()
        for block in 0..<10 { await house.live(minutes: 4, bpm: 60 + Double(block % 3) * 8) }
        let before = try await house.bus.request(ListEffects())
        #expect(before.effects.contains { $0.activityContext == "any" && $0.calm != 0.5 })
        await house.bus.finish(.brain)
        try house.addBrain()
        await house.live(minutes: 0.5, bpm: 66)
        let after = try await house.bus.request(ListEffects())
        #expect(after.effects.filter { $0.plays > 0 }.count >= before.effects.count)
        for row in before.effects {
            let same = after.effects.filter {
                ($0.songId, $0.activityContext, $0.slot) == (row.songId, row.activityContext, row.slot)
            }
            #expect(same.count == 1)
            if same.first?.plays == row.plays { #expect(same.first == row) }
        }
        _ = try await house.bus.request(Undo(minutes: 600))
        #expect(try await house.bus.request(ListEffects()).effects.isEmpty)
        #expect(try await house.bus.request(ListHistory()).plays.isEmpty == false)
    }

    @Test func `a skip is a skip, and a song that cannot be played is left alone`() async throws {
        let house = try House(at: "14:00")
        let songs = TestSongs.all(count: 12)
        try await house.moveIn(songs: songs, failing: Set(songs.prefix(4).map(\.id)))
        await house.live(minutes: 3, bpm: 66)
        _ = try await house.bus.request(Skip())
        await house.live(minutes: 12, bpm: 66)
        let played = try house.played()
        #expect(played.count { $0.outcome == .skipped } == 1)
        let failed = played.filter { $0.outcome == .failed }.map(\.song.id)
        #expect(Set(failed).count == failed.count)
        #expect(try await house.status().now.playing)
    }

    @Test func `without a playlist it says so, and an unknown one is refused by name`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn(playlists: [], autoplay: false)
        await house.live(minutes: 1, bpm: 66)
        #expect(try await house.status().now.notice == "choose a playlist")
        #expect(try house.started().isEmpty)
        await #expect {
            try await house.bus.request(UsePlaylists(playlists: ["Nope"]))
        } throws: {
            ($0 as? Refusal)?.code == "not-found"
        }
        _ = try await house.bus.request(UsePlaylists(playlists: ["All"]))
        _ = try await house.bus.request(Play())
        await house.live(minutes: 1, bpm: 66)
        #expect(try await house.status().now.playing)

        // Another selection ends the song that is not part of it, as replaced.
        let song = try #require(try await house.status().now.song)
        _ = try await house.bus.request(UsePlaylists(playlists: ["Few"]))
        await house.live(minutes: 1, bpm: 66)
        let now = try #require(try await house.status().now.song)
        #expect(["song-0", "song-1", "song-2"].contains(now.id))
        if now.id != song.id { #expect(try house.played().last?.outcome.value == .replaced) }
    }

    @Test func `three songs are enough: rules give way one by one and say so`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn(playlists: ["Few"])
        await house.live(minutes: 30, bpm: 66)
        #expect(try house.started().count >= 9)
        let decisions = try house.decisions()
        #expect(decisions.allSatisfy { $0.breaches.isEmpty })
        let order = try house.started()
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func `a full disk stops the writing and not the music`() async throws {
        let house = try House(at: "14:00")
        house.bus.add(FakeLibrarian(["All": TestSongs.all(seconds: 60)]), as: .librarian)
        house.addPlayer()
        let disk = try BrainDisk(directory: house.directory)
        let brain = try BrainService(
            environment: house.environment, options: BrainOptions(playlists: ["All"], autoplay: true), disk: disk)
        house.bus.add(brain, as: .brain)
        await house.live(minutes: 2, bpm: 66)
        try disk.write { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let before = try house.started().count
        await house.live(minutes: 10, bpm: 66)
        #expect(try house.started().count >= before + 8)
        #expect(try await house.status().now.notice?.contains("disk") == true)
        try disk.write { db in try db.execute(sql: "PRAGMA max_page_count = 1000000") }
        await house.live(minutes: 1, bpm: 66)
        #expect(try await house.status().now.notice == nil)
        let stored = try disk.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM plays") ?? 0 }
        #expect(stored == (try house.played().count))
    }

    @Test func `delete-all leaves no byte of a song or a state`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 8, bpm: 66)
        let export = house.directory.appending(path: "export.jsonl").path(percentEncoded: false)
        let exported: Exported = try await house.bus.request(.brain, ExportData.name, ExportData(path: export))
        #expect(exported.rows > 20)
        try FileManager.default.removeItem(atPath: export)
        let title = try #require(try house.played().first).song.title
        await #expect(throws: Refusal.self) {
            let _: Done = try await house.bus.request(.brain, DeleteData.name, DeleteData(confirmation: "yes"))
        }
        let _: Done = try await house.bus.request(
            .brain, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        await house.bus.finish(.brain)
        for file in try FileManager.default.contentsOfDirectory(at: house.directory, includingPropertiesForKeys: nil) {
            let bytes = try Data(contentsOf: file)
            #expect(bytes.range(of: Data(title.utf8)) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `broken messages are dropped and the rest goes on`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        let brain = try buildBrainInMemory(house)
        house.bus.remove(.brain)
        house.bus.add(brain, as: .brain)
        await house.live(minutes: 1, bpm: 66)
        let good = try #require(house.bus.published.last { $0.topic.hasPrefix("bio/heart-rate") })
        for bytes in [[], Array("{".utf8), Array("null".utf8), (0..<200).map { UInt8($0) }] {
            try await brain.receive(
                .message(Received(topic: good.topic, header: good.header, body: bytes)), bus: house.bus.port(of: .brain)
            )
        }
        await house.live(minutes: 4, bpm: 66)
        #expect(try await house.status().now.playing)
        #expect(house.bus.failures.isEmpty)
    }

    @Test func `every explanation sums to its score, and why-not answers`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 10, bpm: 66)
        let reasons = try house.bus.messages(of: Registry.why)
        #expect(reasons.count >= 3)
        for why in reasons {
            #expect(abs(why.terms.reduce(0) { $0 + $1.contribution } - why.score) < 1e-9)
        }
        let answer = try await house.bus.request(WhyNot(song: "song-5"))
        #expect(answer.song.id == "song-5")
        #expect(!answer.text.isEmpty)
        await #expect(throws: Refusal.self) { try await house.bus.request(WhyNot(song: "no such song")) }
    }
}
