/// Lines of a text file: LF, CRLF and lone CR end a line; a UTF-8 byte order mark is dropped.
package struct LineReader {
    /// Number of the line handed out last, from 1.
    package private(set) var number = 0
    private let stream: ByteStream
    private let longest: Int
    private var piece: [UInt8] = []
    private var position = 0
    private var skipLineFeed = false

    /// - Parameter longest: bytes that a line may have.
    package init(_ stream: ByteStream, longest: Int) {
        self.stream = stream
        self.longest = longest
    }

    /// The bytes of the next line without its end, or nil at the end of the file.
    ///
    /// - Throws: ``FormatError`` with the line when it is longer than allowed, holds NUL bytes, or is UTF-16.
    package mutating func next() throws(FormatError) -> [UInt8]? {
        var line: [UInt8] = []
        var started = false
        while true {
            if position == piece.count {
                guard let more = try stream.next() else { break }
                piece = more
                position = 0
                if number == 0, !started { try dropMark() }
            }
            if skipLineFeed {
                skipLineFeed = false
                if piece[position] == 0x0A {
                    position += 1
                    continue
                }
            }
            started = true
            let rest = piece[position...]
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D }
            line.append(contentsOf: rest[..<(end ?? piece.count)])
            guard line.count <= longest else { throw tooLong() }
            guard let end else {
                position = piece.count
                continue
            }
            position = end + 1
            skipLineFeed = piece[end] == 0x0D
            return try finish(line)
        }
        return started && !line.isEmpty ? try finish(line) : nil
    }

    private mutating func finish(_ line: [UInt8]) throws(FormatError) -> [UInt8] {
        number += 1
        guard !line.contains(0) else {
            throw FormatError(
                file: stream.name, place: .line(number), cause: "holds NUL bytes, so it is not a text file in UTF-8",
                cure: "check that it is the right file")
        }
        return line
    }

    private mutating func dropMark() throws(FormatError) {
        if piece.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        if piece.starts(with: [0xFF, 0xFE]) || piece.starts(with: [0xFE, 0xFF]) {
            throw FormatError(
                file: stream.name, place: .byte(0), cause: "is text in UTF-16", cure: "save it again as UTF-8")
        }
        if position == piece.count { piece = []; position = 0 }
    }

    private func tooLong() -> FormatError {
        FormatError(
            file: stream.name, place: .line(number + 1), cause: "is longer than \(longest) bytes",
            cure: "check that it is the right file")
    }
}

/// Text of bytes that must be UTF-8.
///
/// - Throws: ``FormatError`` with the line.
package func utf8Text(_ bytes: some Collection<UInt8>, file: String, line: Int) throws(FormatError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw FormatError(
            file: file, place: .line(line), cause: "is not UTF-8", cure: "save the file again as UTF-8")
    }
    return text
}
