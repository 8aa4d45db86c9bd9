import Foundation
import Testing

@testable import Formats

/// What a damaged file may do to us: nothing but a clear error.
@Suite(.serialized)
struct BadInputTests {
    /// One format with a sound example and the reader that must refuse its damaged forms.
    struct Format: CustomTestStringConvertible, Sendable {
        var file: String
        var sound: String
        /// The example cut where a download would break off.
        var cut: String
        /// What stands before a line of 100 MB.
        var head: String
        var read: @Sendable (String) throws -> Void
        var testDescription: String { file }
    }

    static let formats: [Format] = [
        Format(
            file: "list.m3u8", sound: "#EXTM3U\n#EXTINF:1,Ä - B\na.mp3\n", cut: "#EXTM3U\n#EXTINF:1,Ä - B\n",
            head: "#EXTM3U\n", read: { _ = try M3UReader.read(path: $0) }),
        Format(
            file: "list.m3u", sound: "#EXTM3U\n#EXTINF:1,Ä - B\na.mp3\n", cut: "#EXTM3U\n#EXTINF:1,Ä",
            head: "", read: { _ = try M3UReader.read(path: $0) }),
        Format(
            file: "list.xspf",
            sound: "<playlist><trackList><track><location>ä.mp3</location></track></trackList></playlist>",
            cut: "<playlist><trackList><track><location>ä.mp3</location></track>",
            head: "<playlist><title>", read: { _ = try XSPFReader.read(path: $0) }),
        Format(
            file: "Library.xml",
            sound:
                "<plist><dict><key>Tracks</key><dict><key>1</key><dict><key>Name</key><string>Ä</string></dict></dict></dict></plist>",
            cut: "<plist><dict><key>Tracks</key><dict><key>1</key><dict><key>Name</key><string>Ä</string></dict>",
            head: "<plist><dict><key>", read: { _ = try MusicLibraryReader.read(path: $0) }),
        Format(
            file: "songs.csv", sound: "title,artist,energy\nÄ,B,0.5\nC,D,0.6\n",
            cut: "title,artist,energy\nÄ,B,0.5\nC,D",
            head: "title,artist\n", read: { _ = try FeatureTable.read(path: $0) }),
        Format(
            file: "a.ics",
            sound:
                "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Ä\nDTSTART:20260101T000000Z\nEND:VEVENT\nEND:VCALENDAR\n",
            cut: "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Ä\nDTSTART:2026", head: "BEGIN:VCALENDAR\n",
            read: { _ = try CalendarFile.read(path: $0) }),
        Format(
            file: "aw.json",
            sound:
                #"{"buckets":{"a":{"events":[{"timestamp":"2026-01-01T00:00:00Z","duration":1,"data":{"app":"Ä"}}]}}}"#,
            cut: #"{"buckets":{"a":{"events":[{"timestamp":"2026-01-01T00:00:00Z","duration":1,"data":{"app":"Ä"}}"#,
            head: "{\"buckets\":\"", read: { _ = try ActivityWatchReader.read(path: $0) }),
        Format(
            file: "rules.json", sound: #"[{"name":["Ä"],"rule":{"type":"regex","regex":"x"}}]"#,
            cut: #"[{"name":["Ä"],"rule":{"type":"regex","#, head: "[", read: { _ = try CategoryRules.read(path: $0) }),
        Format(
            file: "focus.json", sound: #"{"active":true,"name":"Ä"}"#, cut: #"{"active":true,"name":"Ä"#,
            head: "{\"active\":",
            read: { _ = try FocusFile.read(path: $0) }),
        Format(
            file: "focus.jsonl",
            sound:
                "{\"at\":\"2026-01-01T00:00:00Z\",\"active\":true,\"name\":\"Ä\"}\n{\"at\":\"2026-01-02T00:00:00Z\",\"active\":false}\n",
            cut: "{\"at\":\"2026-01-01T00:00:00Z\",\"active\":true}\n{\"at\":\"2026-", head: "",
            read: { _ = try FocusFile.read(path: $0) }),
    ]

    /// Both the reader of the format and the inspection must refuse the file by its name, with a cause and a cure.
    private func expectRefusal(_ format: Format, _ path: String, alsoInspected: Bool = true) {
        for read in alsoInspected ? [format.read, { _ = try Inspection.inspect(path: $0) }] : [format.read] {
            let error = #expect(throws: FormatError.self) { try read(path) }
            #expect(error?.file == path)
            #expect(error?.cause.isEmpty == false && error?.cure.isEmpty == false)
        }
    }

    @Test(arguments: formats)
    func `a sound file is read`(format: Format) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(format.sound, to: format.file)
        try format.read(path)
        _ = try Inspection.inspect(path: path)
    }

    @Test(arguments: formats)
    func `an empty file is refused`(format: Format) throws {
        let folder = try TemporaryFolder()
        expectRefusal(format, try folder.write("", to: format.file))
    }

    @Test(arguments: formats)
    func `a missing file and a folder are refused`(format: Format) throws {
        let folder = try TemporaryFolder()
        expectRefusal(format, folder.path(format.file))
        try FileManager.default.createDirectory(atPath: folder.path(format.file), withIntermediateDirectories: true)
        expectRefusal(format, folder.path(format.file))
    }

    @Test(arguments: formats)
    func `a file that is cut off is refused`(format: Format) throws {
        let folder = try TemporaryFolder()
        expectRefusal(format, try folder.write(format.cut, to: format.file))
    }

    @Test(arguments: formats)
    func `another encoding is refused`(format: Format) throws {
        let folder = try TemporaryFolder()
        // XML says its own encoding, and expat knows UTF-16.
        if !format.sound.hasPrefix("<") {
            let wide = Data([0xFF, 0xFE]) + Data(format.sound.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
            expectRefusal(format, try folder.write(wide, to: format.file))
        }
        let latin = try #require(format.sound.data(using: .isoLatin1))
        // An old M3U may be in Windows-1252.
        guard format.file != "list.m3u" else { return }
        expectRefusal(format, try folder.write(latin, to: format.file))
    }

    @Test(arguments: formats)
    func `a line of 100 MB is refused`(format: Format) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(format.head, to: format.file)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        let megabyte = Data(repeating: UInt8(ascii: "a"), count: 1 << 20)
        for _ in 0..<100 { try handle.write(contentsOf: megabyte) }
        try handle.close()
        expectRefusal(format, path)
    }

    @Test(arguments: formats)
    func `random bytes are refused`(format: Format) throws {
        let folder = try TemporaryFolder()
        var state: UInt64 = 20_260_101
        for _ in 0..<5 {
            let bytes = (0..<65_536).map { _ -> UInt8 in
                // SplitMix64.
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
            }
            expectRefusal(format, try folder.write(Data(bytes), to: format.file))
        }
    }

    @Test(arguments: formats)
    func `every cut and every flipped byte is read or refused, never a crash`(format: Format) throws {
        let folder = try TemporaryFolder()
        let sound = Array(format.sound.utf8)
        for index in stride(from: 0, to: sound.count, by: 3) {
            var flipped = sound
            flipped[index] ^= 0x15
            for bytes in [Array(sound[..<index]), flipped] {
                let path = try folder.write(Data(bytes), to: format.file)
                do { try format.read(path) } catch { #expect(error is FormatError) }
                do { _ = try Inspection.inspect(path: path) } catch { #expect(error.file == path) }
            }
        }
    }

    @Test func `an entity bomb is stopped`() throws {
        var text = "<!DOCTYPE playlist [<!ENTITY a0 \"aaaaaaaaaa\">"
        for level in 1...9 {
            text += "<!ENTITY a\(level) \"\(String(repeating: "&a\(level - 1);", count: 10))\">"
        }
        text += "]><playlist><title>&a9;</title></playlist>"
        #expect(throws: FormatError.self) { try XSPFReader.read(bytes: Array(text.utf8), name: "bomb.xspf") }
    }

    @Test func `JSON without end of nesting is stopped`() throws {
        let text = String(repeating: "[", count: 1_000_000)
        #expect(throws: FormatError.self) { try ActivityWatchReader.read(bytes: Array(text.utf8), name: "deep.json") }
    }
}
