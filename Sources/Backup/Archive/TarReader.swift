/// Reads a tar archive as a stream of pieces of any size.
package struct TarReader {
    private let input: () throws -> [UInt8]?
    private var buffer: ArraySlice<UInt8> = []
    /// Content of the current entry that was not read yet, and the zeros behind it.
    private var left = 0
    private var padding = 0
    private var ended = false

    /// - Parameter input: gives the next piece, nil at the end.
    package init(input: @escaping () throws -> [UInt8]?) { self.input = input }

    /// The next file; what was not read of the one before is skipped. nil at the end of the archive.
    ///
    /// - Throws: ``TarError``; errors of the input.
    package mutating func nextEntry() throws -> TarEntry? {
        guard !ended else { return nil }
        while try read() != nil {}
        let gap = try take(padding)
        guard gap.allSatisfy({ $0 == 0 }) else { throw TarError.malformed(reason: "a gap is not empty") }
        padding = 0
        if let entry = try TarEntry(block: try take(TarEntry.blockCount)) {
            left = entry.size
            padding = entry.padding
            return entry
        }
        guard try take(TarEntry.blockCount).allSatisfy({ $0 == 0 }) else {
            throw TarError.malformed(reason: "it has no proper end")
        }
        ended = true
        repeat {
            guard buffer.allSatisfy({ $0 == 0 }) else { throw TarError.malformed(reason: "bytes follow its end") }
            buffer = try input()?[...] ?? []
        } while !buffer.isEmpty
        return nil
    }

    /// The next piece of the content of the current file; nil at its end.
    package mutating func read() throws -> ArraySlice<UInt8>? {
        guard left > 0 else { return nil }
        if buffer.isEmpty {
            guard let piece = try input(), !piece.isEmpty else { throw TarError.truncated }
            buffer = piece[...]
        }
        let piece = buffer.prefix(left)
        buffer = buffer.dropFirst(piece.count)
        left -= piece.count
        return piece
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            if buffer.isEmpty {
                guard let piece = try input(), !piece.isEmpty else { throw TarError.truncated }
                buffer = piece[...]
            }
            let piece = buffer.prefix(count - bytes.count)
            bytes += piece
            buffer = buffer.dropFirst(piece.count)
        }
        return bytes
    }
}
