import Music
import Testing

struct CloseWordsTests {
    /// Distances counted by hand; "kitten" and "sitting" is the usual example.
    @Test(arguments: [
        ("kitten", "sitting", 3), ("", "abc", 3), ("abc", "abc", 0), ("abcd", "acbd", 1), ("use", "ues", 1),
    ])
    func `distances are those counted by hand`(a: String, b: String, expected: Int) {
        #expect(CloseWords.distance(Array(a.unicodeScalars), Array(b.unicodeScalars)) == expected)
        #expect(CloseWords.distance(Array(b.unicodeScalars), Array(a.unicodeScalars)) == expected)
    }

    @Test func `a typing error finds the title, whatever its case and accents, and nonsense finds nothing`() {
        let titles = ["Blue Monday", "Café del Mar", "Bizarre Love Triangle", "Blue Sunday"]
        #expect(CloseWords.nearest(to: "blu munday", among: titles, limit: 3).first == "Blue Monday")
        #expect(CloseWords.nearest(to: "cafe del mra", among: titles, limit: 3) == ["Café del Mar"])
        #expect(CloseWords.nearest(to: "xyzzy", among: titles, limit: 3) == [])
        #expect(CloseWords.nearest(to: "", among: titles, limit: 3) == [])
    }
}
