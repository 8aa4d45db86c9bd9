import Music
import Testing

struct TitleTests {
    @Test(arguments: [
        ("Café del Mar", "cafe del mar"), ("BEYONCÉ", "beyonce"), ("Sigur Rós", "sigur ros"),
        ("Motörhead", "motorhead"),
        ("Don’t Stop", "dont stop"), ("Don't  Stop!", "dont stop"), ("Straße", "strasse"), ("Bjørn", "bjorn"),
        ("Rock & Roll", "rock and roll"), ("ＦＵＬＬ", "full"), ("がく", "がく"), ("!!!", "!!!"),
    ])
    func `two spellings of a title fold to the same text`(written: String, expected: String) {
        #expect(folded(written) == expected)
    }

    @Test func `voicing marks of Japanese are kept`() { #expect(folded("か") != folded("が")) }

    @Test(
        arguments: [
            ("Hallelujah (Live at the Roundhouse)", "hallelujah", [.live]),
            ("Heroes - 2017 Remaster", "heroes", [.remaster]),
            ("Blue Monday (Extended Remix) [2011 Remaster]", "blue monday", [.extended, .remix, .remaster]),
            ("Cupid - Twin Ver.", "cupid", [.version]),
            ("(I Can't Get No) Satisfaction", "i cant get no satisfaction", []),
            ("Live and Let Die", "live and let die", []),
            ("Demons", "demons", []),
            ("Stay (feat. Mikky Ekko)", "stay", []),
            ("Love the Way You Lie feat. Rihanna", "love the way you lie", []),
            ("Umbrella (Karaoke Version)", "umbrella", [.karaoke, .version]),
            ("Layla - Acoustic; Live at MTV Unplugged", "layla", [.acoustic, .live]),
            ("Yesterday (Demo)", "yesterday", [.demo]),
            ("My Heart Will Go On (Love Theme from \"Titanic\")", "my heart will go on love theme from titanic", []),
            ("Let It Go (From \"Frozen\" / Soundtrack Version)", "let it go", [.version]),
        ] as [(String, String, Set<VersionWord>)])
    func `a title comes apart into the song and its version`(title: String, base: String, versions: Set<VersionWord>) {
        let parts = TitleParts(title)
        #expect(parts.base == base)
        #expect(parts.versions == versions)
    }

    @Test func `a karaoke track names the artist that it stands in for`() {
        let parts = TitleParts("Hello (Originally Performed by Adele)")
        #expect(parts.base == "hello")
        #expect(parts.standsInFor == "adele")
        #expect(parts.versions == [.karaoke])
    }

    @Test(
        arguments: [
            ("Eminem feat. Rihanna", "eminem", nil), ("Eminem Ft. Rihanna", "eminem", nil),
            ("Eminem featuring Rihanna", "eminem", nil), ("Calvin Harris (feat. Florence)", "calvin harris", nil),
            ("Daft Punk", "daft punk", nil), ("Simon & Garfunkel", "simon and garfunkel", "simon"),
            ("Aftermath", "aftermath", nil), ("Feature Cast", "feature cast", nil),
        ] as [(String, String, String?)])
    func `a credit comes apart into its artist and guests`(credit: String, artist: String, first: String?) {
        let name = ArtistName(credit)
        #expect(name.withoutGuests == artist)
        #expect(name.first == first)
    }
}
