import Foundation
import Testing

@testable import Backup

/// The archive inside a backup against the tar of the machine.
struct TarTests {
    private func archive(_ files: [(String, [UInt8])]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, content) in files {
            let entry = try TarEntry(name: name, size: content.count)
            bytes += try entry.bytes() + content + [UInt8](repeating: 0, count: entry.padding)
        }
        return bytes + [UInt8](repeating: 0, count: 1024)
    }

    private func unpack(_ bytes: [UInt8], pieces: Int) throws -> [String: [UInt8]] {
        var rest = bytes[...]
        var reader = TarReader {
            defer { rest = rest.dropFirst(pieces) }
            return rest.isEmpty ? nil : Array(rest.prefix(pieces))
        }
        var files: [String: [UInt8]] = [:]
        while let entry = try reader.nextEntry() {
            var content: [UInt8] = []
            while let piece = try reader.read() { content += piece }
            #expect(content.count == entry.size)
            files[entry.name] = content
        }
        return files
    }

    private let long = String(repeating: "d", count: 120) + "/" + String(repeating: "f", count: 90)

    @Test(arguments: [1, 7, 512, 100_000])
    func `what goes in comes out, in pieces of any size`(pieces: Int) throws {
        let files: [(String, [UInt8])] = [
            ("manifest.json", Array("{}".utf8)), ("data/empty", []),
            ("data/even", [UInt8](repeating: 1, count: 1024)), (long, [1, 2, 3]),
        ]
        let back = try unpack(try archive(files), pieces: pieces)
        #expect(back.count == 4)
        for (name, content) in files { #expect(back[name] == content) }
    }

    @Test func `GNU tar lists and unpacks it`() throws {
        let scratch = try Scratch()
        try scratch.write("a.tar", try archive([("data/x", Array("beats".utf8)), (long, [65])]))
        let (status, output) = try run("/bin/tar", ["--warning=no-timestamp", "-tvf", scratch.path("a.tar")])
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(status == 0)
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("-rw-------") == true)
        #expect(lines.last?.hasSuffix(long) == true)
        let (unpacked, text) = try run("/bin/tar", ["-xOf", scratch.path("a.tar"), "data/x"])
        #expect(unpacked == 0)
        #expect(text == Data("beats".utf8))
    }

    @Test func `an archive of GNU tar is read`() throws {
        let scratch = try Scratch()
        try scratch.write("data/x", Array("beats".utf8))
        let (status, _) = try run(
            "/bin/tar",
            ["--format=ustar", "-C", scratch.path(""), "-cf", scratch.path("b.tar"), "data/x"])
        #expect(status == 0)
        #expect(try unpack(scratch.bytes("b.tar"), pieces: 333) == ["data/x": Array("beats".utf8)])
    }

    @Test(arguments: ["/etc/passwd", "../x", "data/../../x", "data//x", "./x", "", "data/", "a\u{0}b", "a\nb"])
    func `a name that leads elsewhere is refused`(name: String) throws {
        #expect(throws: TarError.self) { try TarEntry(name: name, size: 0) }
        // Also when somebody else wrote it.
        var block = try TarEntry(name: String(repeating: "x", count: 20), size: 0).bytes()
        let bytes = Array(name.utf8)
        for place in 0..<20 { block[place] = place < bytes.count ? bytes[place] : 0 }
        block.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
        let digits = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        let sum = Array((String(repeating: "0", count: 6 - digits.count) + digits).utf8) + [0, 0x20]
        block.replaceSubrange(148..<156, with: sum)
        if name.contains("\u{0}") { return }
        #expect(throws: TarError.self) { try TarEntry(block: block) }
    }

    @Test func `cut off or followed by something, it is refused`() throws {
        let bytes = try archive([("data/x", Array("beats".utf8)), ("data/y", Array("rest".utf8))])
        for cut in stride(from: 0, to: bytes.count, by: 61) {
            #expect(throws: TarError.self, "\(cut)") { try unpack(Array(bytes.prefix(cut)), pieces: 100) }
        }
        #expect(throws: TarError.self) { try unpack(bytes + [1], pieces: 100) }
    }
}
