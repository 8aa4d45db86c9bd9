import Crypto

/// Decrypts an age file as a stream: every piece that it gives out is authentic and at its place.
package struct AgeReader {
    private var payload: AgePayload
    private var ahead: [UInt8]
    private var ended = false
    private let input: (Int) throws -> [UInt8]

    /// Reads the header and finds the key of the file.
    ///
    /// - Parameter input: gives the next bytes, at most so many, and none at the end.
    /// - Throws: ``AgeError``; errors of `input`.
    package init(_ identity: AgeIdentity, input: @escaping (Int) throws -> [UInt8]) throws {
        try self.init(input: input) { header throws(AgeError) in
            try AgeKeys.fileKey(header.stanzas, identity)
        }
    }

    /// Opens with the key itself, as its writer can.
    init(fileKey: SymmetricKey, input: @escaping (Int) throws -> [UInt8]) throws {
        try self.init(input: input) { _ throws(AgeError) in fileKey }
    }

    private init(
        input: @escaping (Int) throws -> [UInt8], key: (AgeHeader) throws(AgeError) -> SymmetricKey
    ) throws {
        self.input = input
        let first = try Self.fill([], to: AgeHeader.largest, input)
        let (header, length) = try AgeHeader.parse(first)
        let fileKey = try key(header)
        try header.check(fileKey)
        guard first.count >= length + AgePayload.nonceCount else { throw AgeError.truncated }
        let start = length + AgePayload.nonceCount
        payload = AgePayload(fileKey: fileKey, nonce: Array(first[length..<start]))
        ahead = Array(first[start...])
    }

    /// The next piece of the plain bytes; nil after the last, which is marked as such in the file.
    ///
    /// - Throws: ``AgeError``: `damaged`, `truncated`; errors of the input.
    package mutating func next() throws -> [UInt8]? {
        guard !ended else { return nil }
        let full = AgePayload.chunkCount + AgePayload.tagCount
        // One byte more tells whether this is the last chunk.
        ahead = try Self.fill(ahead, to: full + 1, input)
        let last = ahead.count <= full
        guard !ahead.isEmpty else { throw AgeError.truncated }
        let sealed = Array(ahead.prefix(full))
        ahead.removeFirst(sealed.count)
        ended = last
        return try payload.open(sealed, last: last)
    }

    private static func fill(
        _ start: [UInt8], to count: Int, _ input: (Int) throws -> [UInt8]
    ) throws -> [UInt8] {
        var bytes = start
        while bytes.count < count {
            let more = try input(count - bytes.count)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }
}
