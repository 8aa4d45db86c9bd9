import Music
import Protocols
import Testing

@testable import BrainService

struct SongsMeantTests {
    private static let table = SongTable(
        [("a", "Floating Home", "Orchard Atlas"), ("b", "Floating Home", "Quiet Weather"), ("c", "Home", "Mara")].map {
            Song(id: $0.0, title: $0.1, artist: $0.2, durationMs: 180_000)
        })

    @Test func `says that others have the same title, however it is written`() {
        for text in ["Floating Home", "floating  home", "Floating_Home"] {
            let meant = SongsMeant(text, in: Self.table)
            #expect(meant.first?.id == "a")
            #expect(meant.others == "1 more song has this title, ask by id: b by Quiet Weather.")
        }
    }

    @Test func `a whole title wins over a part, an id over both, and nothing is nobody`() {
        #expect(SongsMeant("home", in: Self.table).first?.id == "c")
        #expect(SongsMeant("home", in: Self.table).others == nil)
        #expect(SongsMeant("b", in: Self.table).first?.artist == "Quiet Weather")
        #expect(SongsMeant("floating", in: Self.table).others?.hasPrefix("1 more song has these words") == true)
        #expect(SongsMeant("nowhere", in: Self.table).first == nil)
        #expect(SongsMeant("", in: Self.table).first == nil)
    }

    @Test func `those that are not named are counted`() {
        let many = SongTable((1...12).map { Song(id: "s\($0)", title: "Home", artist: "A", durationMs: 180_000) })
        let others = SongsMeant("home", in: many).others
        #expect(others?.hasPrefix("11 more songs have this title") == true)
        #expect(others?.hasSuffix("and 3 more.") == true)
    }
}
