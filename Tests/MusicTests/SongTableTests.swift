import Music
import Protocols
import Testing

struct SongTableTests {
    private func song(_ id: String, _ title: String, _ artist: String) -> Song {
        Song(id: id, title: title, artist: artist)
    }

    @Test func `versions of a song are one work, other songs and other artists' songs are not`() throws {
        let table = SongTable([
            song("a", "Wish You Were Here", "Pink Floyd"), song("b", "Wish You Were Here (Live)", "Pink Floyd"),
            song("c", "Wish You Were Here - 2011 Remaster", "Pink Floyd feat. Stéphane Grappelli"),
            song("d", "Wish You Were Here", "Incubus"), song("e", "Time", "Pink Floyd"),
            song("f", "Wish You Were Here (Originally Performed by Pink Floyd)", "Karaoke Stars"),
        ])
        #expect(Set([0, 1, 2, 5].map { table.work[$0] }).count == 1)
        #expect(Set([0, 3, 4].map { table.work[$0] }).count == 3)
        #expect(Array(table.songs(ofWork: table.work[0])) == [0, 1, 2, 5])
    }

    @Test func `A feat B counts as A, and a list of names counts as its first when that stands alone elsewhere`() {
        let table = SongTable([
            song("1", "x", "Queen"), song("2", "y", "Queen & David Bowie"), song("3", "z", "Queen feat. Someone"),
            song("4", "u", "Earth, Wind & Fire"), song("5", "v", "Simon & Garfunkel"),
        ])
        #expect(table.artist[0] == table.artist[1])
        #expect(table.artist[0] == table.artist[2])
        #expect(table.artistCount == 3)
        #expect(table.artist(named: "QUEEN ft. Nobody") == table.artist[0])
        #expect(table.artist(named: "Earth, Wind & Fire") == table.artist[3])
        #expect(table.artist(named: "Nobody") == nil)
        #expect(Array(table.songs(byArtist: table.artist[0])) == [0, 1, 2])
    }

    @Test func `what is unknown or nonsense is not a number in the columns`() {
        var wrong = song("1", "x", "A")
        wrong.tempo = TempoEstimate(bpm: 0, confidence: 1, source: "tag")
        wrong.energy = .infinity
        wrong.valence = 1.5
        let table = SongTable([wrong, song("2", "y", "A")])
        #expect(table.bpm[0].isNaN && table.bpm[1].isNaN)
        #expect(table.energy[0].isNaN && table.energy[1].isNaN)
        #expect(table.valence[0] == 1)
        #expect(table.knownShare[0] == 0.2)
        #expect(table.knownShare[1] == 0)
        #expect(table.playingSeconds(1) == 210)
    }

    @Test func `a second song with the same id is left out`() {
        let table = SongTable([song("1", "x", "A"), song("1", "y", "B")])
        #expect(table.count == 1)
        #expect(table.refs[0].title == "x")
    }

    @Test func `positions are found by id and ordered by id`() {
        let table = SongTable([song("c", "x", "A"), song("a", "y", "A"), song("b", "z", "A")])
        #expect(table.position(of: "b") == 2)
        #expect(table.position(of: "d") == nil)
        #expect(table.byId == [1, 2, 0])
        #expect(table.idRank == [2, 0, 1])
    }
}
