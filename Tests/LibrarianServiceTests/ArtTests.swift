import Foundation
import LibrarianService
import Protocols
import Testing

/// Pictures made with Python's zlib: 300 × 100, a red, a green and a blue square; and a header that promises
/// 60,000 × 60,000 pixels.
private let flag =
    Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAASwAAABkCAIAAACzY5qXAAABwklEQVR42u3TwQkAAAyDwOy/dLtCPn0UDpxANJOghAKyTuBAV2SZUFdkmRC6IsuEuiLLhNAVWSbUFVkmhK7IMqGuyDIhdEWWCXVFlgmhK7JMqCuyTAhdkWVCXZFlQuiKLBPqiiwTQldkmVBXZJkQuiLLhLoiy4TQFVkm1BVZJtQVyDKhrsgyoa5Algl1RZYJdQWyTKgrskyoK5BlQl2RZUJdgSwT6oosE+oKZJlQV2SZUFcgy4S6IsuEugJZJtQVWSbUFcgyoa7IMqGuQJYJdUWWCXUFCkyoK7JMqCuyYEJdkWVCXZEFE+qKLBPqiiyYUFdkmVBXZMGEuiLLhLoiCybUFVkm1BVZMKGuyDKhrsiCCXVFlgl1RRZMqCuyTKgrsmBCXZFlQl2RBRPqiiwT6oosE3KgK7JMqCuyTAhdkWVCXZFlQuiKLBPqiiwTQldkmVBXZJkQuiLLhLoiy4TQFVkm1BVZJoSuyDKhrsgyIXRFlgl1RZYJoSuyTKgrskwIXZFlQl2RZUJQQJYJdUWWCXUFskyoK7JMqCuQZUJdkWVCXYEsE+qKLBPqCmSZUFdkmVBXIMuEuiLLhLoCWSbUFVmfWeMdwZ0WZNwwAAAAAElFTkSuQmCC"
    ) ?? Data()
private let bomb =
    Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAIAAAAPsOIVAAAAEUlEQVR4nGNgGAWjYBQMdwAAA+gAAbOm00YAAAAASUVORK5CYII="
    ) ?? Data()

/// Width and height in the frame header of a JPEG (ITU-T T.81, B.2.2).
private func sizeOfJPEG(_ data: Data) -> (width: Int, height: Int)? {
    let bytes = [UInt8](data)
    guard bytes.starts(with: [0xFF, 0xD8]), bytes.suffix(2) == [0xFF, 0xD9] else { return nil }
    var position = 2
    while position + 9 < bytes.count, bytes[position] == 0xFF {
        if bytes[position + 1] == 0xC0 {
            return (
                Int(bytes[position + 7]) << 8 | Int(bytes[position + 8]),
                Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
            )
        }
        position += 2 + (Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
    }
    return nil
}

private func big(_ value: Int, _ bytes: Int) -> Data {
    Data((0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
}

private func text(_ text: String) -> Data { Data(text.utf8) }

/// ID3v2.3 with one APIC frame.
private func mp3(_ picture: Data) -> Data {
    let body = Data([0]) + text("image/png") + Data([0, 3]) + text("front") + Data([0]) + picture
    let frame = text("APIC") + big(body.count, 4) + Data([0, 0]) + body
    let size = frame.count
    let synchsafe = Data([size >> 21, size >> 14, size >> 7, size].map { UInt8($0 & 0x7F) })
    return text("ID3") + Data([3, 0, 0]) + synchsafe + frame + Data(repeating: 0xFF, count: 64)
}

private func flac(_ picture: Data) -> Data {
    let block =
        big(3, 4) + big(9, 4) + text("image/png") + big(2, 4) + text("hi") + Data(repeating: 0, count: 16)
        + big(picture.count, 4) + picture
    return text("fLaC") + Data([0]) + big(34, 3) + Data(repeating: 0, count: 34) + Data([0x86]) + big(block.count, 3)
        + block + Data([0xFF, 0xF8])
}

private func mp4(_ picture: Data) -> Data {
    func atom(_ name: String, _ body: Data) -> Data { big(body.count + 8, 4) + text(name) + body }
    let data = atom("data", big(14, 4) + big(0, 4) + picture)
    let meta = atom("meta", big(0, 4) + atom("hdlr", Data(repeating: 0, count: 24)) + atom("ilst", atom("covr", data)))
    return atom("ftyp", text("M4A ") + big(0, 4)) + atom("free", Data(count: 100)) + atom("moov", atom("udta", meta))
}

@Suite(.serialized)
struct ArtTests {
    /// The built executable, beside the bundle of the tests.
    private static let maker: ThumbnailMaker = {
        var folder = URL(filePath: CommandLine.arguments.first ?? "/")
        for _ in 0..<6 {
            folder.deleteLastPathComponent()
            let candidate = folder.appending(path: "librarian")
            if FileManager.default.isExecutableFile(atPath: candidate.path(percentEncoded: false)) {
                return ThumbnailMaker(executable: candidate)
            }
        }
        return ThumbnailMaker(executable: URL(filePath: "/proc/self/cwd/.build/debug/librarian"))
    }()

    @Test(arguments: [80, 300])
    func `a thumbnail is a square of the asked size from the middle of the picture`(side: Int) throws {
        let thumbnail = try #require(Self.maker.thumbnail(of: flag, pixels: side))
        let size = try #require(sizeOfJPEG(thumbnail))
        #expect(size == (side, side))
        // A JPEG is a picture that can be read too, and stays a square.
        let again = try #require(Self.maker.thumbnail(of: thumbnail, pixels: 80))
        #expect(sizeOfJPEG(again).map { $0 == (80, 80) } == true)
    }

    @Test func `a picture that promises too much or is broken gives none, and nobody dies`() {
        for picture in [bomb, Data(), text("no picture"), flag.prefix(60), Data([0xFF, 0xD8, 0xFF, 0xC0])] {
            #expect(Self.maker.thumbnail(of: Data(picture), pixels: 80) == nil)
        }
        #expect(Self.maker.thumbnail(of: flag, pixels: 81) == nil)
    }

    @Test func `a child that dies or is not there gives no picture`() {
        #expect(ThumbnailMaker(executable: URL(filePath: "/bin/false")).thumbnail(of: flag, pixels: 80) == nil)
        #expect(ThumbnailMaker(executable: URL(filePath: "/nowhere")).thumbnail(of: flag, pixels: 80) == nil)
    }

    @Test(arguments: ["mp3", "flac", "m4a", "beside"])
    func `art in or beside the file of a song is found`(kind: String) throws {
        let workshop = try Workshop()
        let file =
            switch kind {
            case "mp3": mp3(flag)
            case "flac": flac(flag)
            case "m4a": mp4(flag)
            default: Data(repeating: 0, count: 64)
            }
        try workshop.write("music/song.\(kind)", file)
        if kind == "beside" { try workshop.write("music/Folder.PNG", flag) }
        let list = try workshop.write("list.m3u8", "#EXTINF:9,Mara - Slow Boat\nmusic/song.\(kind)\n")
        _ = try workshop.catalog.importFiles([list])
        let song = try workshop.catalog.song("slow boat").song
        #expect(song.hasArt)
        #expect(workshop.catalog.picture(of: song) == flag)
    }

    @Test func `a cut or lying music file has no art and does no harm`() throws {
        let workshop = try Workshop()
        for whole in [mp3(flag), flac(flag), mp4(flag)] {
            for length in stride(from: 0, to: whole.count - 100, by: 13) {
                let path = try workshop.write("cut.bin", whole.prefix(length))
                let song = Song(id: "x", title: "x", artist: "x", location: path)
                #expect(workshop.catalog.picture(of: song) == nil)
            }
            for place in 0..<min(whole.count, 120) {
                var lying = whole
                lying[place] = 0xFF
                let path = try workshop.write("lying.bin", lying)
                _ = workshop.catalog.picture(of: Song(id: "x", title: "x", artist: "x", location: path))
            }
        }
    }
}
