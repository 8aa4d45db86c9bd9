import Foundation

/// Reads the front cover that a music file carries: ID3v2.2–2.4 (MP3), FLAC pictures, MP4 `covr`.
///
/// The files are untrusted: every length is checked against the file, every walk has a bound.
///
/// Sources: id3.org "ID3 tag version 2.4.0", RFC 9639 section 8.8 (FLAC picture), Apple "QuickTime File Format" (atoms).
enum EmbeddedArt {
    private static let frontCover = 3
    private static let mostParts = 4096

    static func find(in path: String) -> Data? {
        guard let file = BoundedFile(path: path), let head = file.bytes(at: 0, count: 12) else { return nil }
        switch true {
        case head.starts(with: Data("ID3".utf8)): return id3(file)
        case head.starts(with: Data("fLaC".utf8)): return flac(file)
        case head[4..<8] == Data("ftyp".utf8): return mp4(file)
        default: return nil
        }
    }

    // MARK: ID3

    private static func id3(_ file: BoundedFile) -> Data? {
        guard let head = file.bytes(at: 0, count: 10), let size = synchsafe(head[6..<10]) else { return nil }
        let version = head[3]
        let unsynchronised = head[5] & 0x80 != 0
        guard (2...4).contains(version), let raw = file.bytes(at: 10, count: min(size, file.size - 10)),
            raw.count <= ArtFinder.largest
        else { return nil }
        // Before 2.4 the whole tag is unsynchronised, from then on each frame.
        let tag = [UInt8](unsynchronised && version < 4 ? synchronised(raw) : raw)
        var position = 0
        if head[5] & 0x40 != 0, version > 2 {
            guard tag.count >= 4 else { return nil }
            let extended = version == 4 ? synchsafe(Data(tag[0..<4])) : number(tag[0..<4]).map { $0 + 4 }
            position = extended ?? 0
        }
        var other: Data?
        let header = version == 2 ? 6 : 10
        for _ in 0..<mostParts {
            guard position >= 0, position <= tag.count - header, tag[position] != 0 else { break }
            let sizeBytes = version == 2 ? tag[position + 3..<position + 6] : tag[position + 4..<position + 8]
            guard let length = version == 4 ? synchsafe(Data(sizeBytes)) : number(sizeBytes),
                length > 0, length <= tag.count - position - header
            else { break }
            let name = String(decoding: tag[position..<position + (version == 2 ? 3 : 4)], as: UTF8.self)
            let flags = version == 2 ? 0 : tag[position + 9]
            var body = Data(tag[position + header..<position + header + length])
            position += header + length
            guard name == "APIC" || name == "PIC" else { continue }
            // Compressed or encrypted frames are left alone.
            guard version != 4 || flags & 0x0C == 0, version != 3 || flags & 0xC0 == 0 else { continue }
            if version == 4, flags & 0x01 != 0 { body = body.dropFirst(4) }
            if version == 4, flags & 0x02 != 0 { body = synchronised(body) }
            guard let (type, picture) = attached([UInt8](body), short: version == 2) else { continue }
            if type == frontCover { return picture }
            other = other ?? picture
        }
        return other
    }

    /// Encoding, media type, picture type, description, picture.
    private static func attached(_ body: [UInt8], short: Bool) -> (type: Int, picture: Data)? {
        guard body.count > 6 else { return nil }
        let wide = body[0] == 1 || body[0] == 2
        var position = 4
        if !short {
            guard let end = body[1...].firstIndex(of: 0) else { return nil }
            position = end + 1
        }
        guard position < body.count else { return nil }
        let type = Int(body[position])
        position += 1
        if wide {
            while position + 1 < body.count, body[position] != 0 || body[position + 1] != 0 { position += 2 }
            position += 2
        } else {
            while position < body.count, body[position] != 0 { position += 1 }
            position += 1
        }
        guard position < body.count else { return nil }
        return (type, Data(body[position...]))
    }

    private static func synchsafe(_ bytes: Data) -> Int? {
        guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.reduce(0) { $0 << 7 | Int($1) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// Removes the zero after each 0xFF.
    private static func synchronised(_ data: Data) -> Data {
        var result = Data(capacity: data.count)
        var previous: UInt8 = 0
        for byte in data {
            if previous != 0xFF || byte != 0 { result.append(byte) }
            previous = byte
        }
        return result
    }

    // MARK: FLAC

    private static func flac(_ file: BoundedFile) -> Data? {
        var position = 4
        var other: Data?
        for _ in 0..<mostParts {
            guard let kind = file.number(at: position, bytes: 1), let length = file.number(at: position + 1, bytes: 3)
            else { break }
            position += 4
            if kind & 0x7F == 6, let (type, picture) = flacPicture(file, at: position, length: length) {
                if type == frontCover { return picture }
                other = other ?? picture
            }
            position += length
            if kind & 0x80 != 0 { break }
        }
        return other
    }

    /// Type, media type, description, width, height, depth, colours, picture: all numbers of 32 bits.
    private static func flacPicture(_ file: BoundedFile, at start: Int, length: Int) -> (type: Int, picture: Data)? {
        guard length >= 32, let type = file.number(at: start, bytes: 4),
            let media = file.number(at: start + 4, bytes: 4), media <= length,
            let description = file.number(at: start + 8 + media, bytes: 4), description <= length
        else { return nil }
        let data = start + 8 + media + 4 + description + 16
        guard let count = file.number(at: data, bytes: 4), count > 0, data + 4 + count <= start + length,
            let picture = file.bytes(at: data + 4, count: count)
        else { return nil }
        return (type, picture)
    }

    // MARK: MP4

    /// moov › udta › meta › ilst › covr › data.
    private static func mp4(_ file: BoundedFile) -> Data? {
        var range = 0..<file.size
        for name in ["moov", "udta", "meta", "ilst", "covr", "data"] {
            guard var inner = atom(name, in: range, file) else { return nil }
            // `meta` has a version and flags before its atoms.
            if name == "meta" { inner = min(inner.lowerBound + 4, inner.upperBound)..<inner.upperBound }
            range = inner
        }
        // Kind and locale come first.
        let count = range.count - 8
        guard count > 0, count <= ArtFinder.largest else { return nil }
        return file.bytes(at: range.lowerBound + 8, count: count)
    }

    private static func atom(_ name: String, in range: Range<Int>, _ file: BoundedFile) -> Range<Int>? {
        var position = range.lowerBound
        for _ in 0..<mostParts {
            guard position <= range.upperBound - 8, var size = file.number(at: position, bytes: 4),
                let kind = file.bytes(at: position + 4, count: 4)
            else { return nil }
            var header = 8
            if size == 1 {
                guard let long = file.number(at: position + 8, bytes: 8) else { return nil }
                size = long
                header = 16
            } else if size == 0 {
                size = range.upperBound - position
            }
            guard size >= header, size <= range.upperBound - position else { return nil }
            if kind == Data(name.utf8) { return position + header..<position + size }
            position += size
        }
        return nil
    }
}
