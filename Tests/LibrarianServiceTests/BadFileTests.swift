import Foundation
import LibrarianService
import Protocols
import Testing

struct BadFileTests {
    private static let good = "title,artist,tempoBpm\nBlue Hour,The Lamps,120\n"

    /// Name, bytes: empty, cut, wrong encoding, random.
    private static let bad: [(String, Data)] = {
        var random: UInt64 = 7
        let noise = Data(
            (0..<20_000).map { _ in
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: random >> 33)
            })
        let utf16 = "title,artist\nGood One,Good Artist\n".data(using: .utf16) ?? Data()
        var files: [(String, Data)] = []
        for kind in ["csv", "xml", "xspf", "m3u8", "m3u"] {
            files.append(("empty.\(kind)", Data()))
            files.append(("random.\(kind)", noise))
            files.append(("utf16.\(kind)", utf16))
        }
        files.append(("cut.csv", Data("title,artist,energy\nGood One,Good Artist,0.5\nCut,Off".utf8)))
        files.append(("range.csv", Data("title,artist,energy\nGood One,Good Artist,0.5\nBad,Bad,7\n".utf8)))
        files.append(("latin.csv", Data("title,artist\nGood One,Good Artist\nCaf".utf8) + [0xE9] + Data(",X\n".utf8)))
        files.append(
            ("cut.m3u8", Data("#EXTM3U\n#EXTINF:200,Good Artist - Good One\ngood.mp3\n#EXTINF:100,Cut - Off".utf8)))
        files.append(
            (
                "cut.xspf",
                Data("<playlist><trackList><track><title>Good One</title><location>a.mp3</location></track><tra".utf8)
            ))
        files.append(
            (
                "cut.xml",
                Data(
                    """
                    <plist><dict><key>Tracks</key><dict><key>1</key><dict><key>Track ID</key><integer>1</integer>
                    <key>Name</key><string>Good One</string><key>Artist</key><string>Good Artist</string></dict><key>2
                    """.utf8)
            ))
        files.append(("song.mp3", noise))
        return files
    }()

    @Test(arguments: bad.indices)
    func `a bad file is named with its cause and leaves the library as it was`(index: Int) throws {
        let workshop = try Workshop()
        _ = try workshop.catalog.importFiles([try workshop.write("good.csv", Self.good)])
        let before = try workshop.dump()
        let (name, bytes) = Self.bad[index]
        let report = try workshop.catalog.importFiles([try workshop.write(name, bytes)])
        let error = try #require(report.files.first?.error)
        #expect(error.contains(name))
        #expect((report.added, report.files.first?.taken) == (0, 0))
        #expect(try workshop.dump() == before)
    }

    @Test(arguments: ["csv", "xml", "xspf", "m3u8"])
    func `a line of a hundred megabytes is refused and leaves the library as it was`(kind: String) throws {
        let workshop = try Workshop()
        _ = try workshop.catalog.importFiles([try workshop.write("good.csv", Self.good)])
        let before = try workshop.dump()
        let path = try workshop.write("long.\(kind)", Data(repeating: 0x61, count: 100 << 20))
        #expect(try workshop.catalog.importFiles([path]).files.first?.error != nil)
        #expect(try workshop.dump() == before)
    }

    @Test func `one bad file does not keep the others out`() throws {
        let workshop = try Workshop()
        let report = try workshop.catalog.importFiles([
            try workshop.write("bad.csv", ""), workshop.url.appending(path: "missing.m3u").path(percentEncoded: false),
            try workshop.write("good.csv", Self.good),
        ])
        #expect(report.files.map { $0.error == nil } == [false, false, true])
        #expect(report.added == 1)
    }

    @Test func `a relative path is refused`() throws {
        let workshop = try Workshop()
        #expect(throws: Refusal.self) { try workshop.catalog.importFiles(["songs.csv"]) }
    }
}
