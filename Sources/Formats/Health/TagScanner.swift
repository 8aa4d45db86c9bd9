import Glibc

/// One start tag, valid only while the scanner hands it out.
struct RawTag {
    struct Attribute {
        let name: RawText
        let value: RawText
    }

    let name: RawText
    /// In the order of the file; a name may come twice, then the first counts.
    let attributes: UnsafeBufferPointer<Attribute>
    /// `<name …/>`: no end tag follows.
    let isEmpty: Bool

    subscript(_ name: StaticString) -> RawText? { attributes.first { $0.name == name }?.value }
}

/// What is told about a document, in its order.
protocol TagHandler {
    /// Whether ``text(_:)`` is wanted; a document of attributes alone is faster without.
    static var wantsText: Bool { get }
    mutating func open(_ tag: RawTag) throws
    mutating func close(_ name: RawText) throws
    /// A part of the text between tags.
    mutating func text(_ text: RawText) throws
    /// Called about once a buffer.
    mutating func pause(at byte: Int) throws
}

extension TagHandler {
    static var wantsText: Bool { false }
    mutating func text(_ text: RawText) throws {}
}

/// Finds tags in a stream of bytes: XML as it comes from phones, not as it should be.
///
/// It knows no DTD (a `<!…>` and what is inside it is passed over up to the next element), resolves no entity by itself,
/// takes any byte inside an attribute and goes on behind a tag that is none. Memory is one buffer, whatever the size of
/// the file; the time is linear in it.
final class TagScanner {
    /// How the stream ended.
    struct Outcome: Equatable {
        var bytes = 0
        /// Places where a tag began that is none.
        var damagedTags = 0
        /// Of the first of them.
        var firstDamage: Int?
        /// True when the stream ended inside a tag or a comment.
        var isCutOff = false
    }

    /// A longer tag is none.
    static let longestTag = 1 << 18
    private static let attributeLimit = 64

    private let feed: any ByteFeed
    private let buffer: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private let attributes = UnsafeMutablePointer<RawTag.Attribute>.allocate(capacity: attributeLimit)
    private var end = 0
    private var isAtEnd = false
    /// Bytes of the stream before the buffer.
    private var base = 0
    private var outcome = Outcome()

    /// - Parameter capacity: of the buffer, at least twice the longest tag.
    init(_ feed: any ByteFeed, capacity: Int = 1 << 20) {
        self.feed = feed
        self.capacity = max(capacity, 2 * Self.longestTag)
        buffer = .allocate(capacity: self.capacity)
    }

    deinit {
        buffer.deallocate()
        attributes.deallocate()
    }

    private enum Step {
        case next(Int)
        case needsMore
        case damaged
        /// A comment or a CDATA section begins; its content starts here.
        case comment(Int)
        case section(Int)
    }

    /// Reads to the end.
    ///
    /// - Throws: what the feed or the handler throws.
    func run<Handler: TagHandler>(_ handler: inout Handler) throws -> Outcome {
        var position = 0
        _ = try refill(keeping: &position)
        while true {
            guard let found = find(0x3C, from: position) else {
                if Handler.wantsText, end > position { try handler.text(slice(position, end)) }
                position = end
                guard try refill(keeping: &position) else { break }
                try handler.pause(at: base)
                continue
            }
            if Handler.wantsText, found > position { try handler.text(slice(position, found)) }
            position = found
            switch try markup(at: position, &handler) {
            case .next(let next): position = next
            case .comment(let start): position = try pass(from: start, upTo: 0x2D) { _ in }
            case .section(let start):
                position = try pass(from: start, upTo: 0x5D) { text in
                    if Handler.wantsText { try handler.text(text) }
                }
            case .damaged: position = damage(position)
            case .needsMore:
                if end - position > Self.longestTag {
                    position = damage(position)
                } else if try refill(keeping: &position) {
                    try handler.pause(at: base + position)
                } else {
                    outcome.isCutOff = true
                    position = end
                }
            }
        }
        outcome.bytes = base + end
        return outcome
    }

    private func damage(_ position: Int) -> Int {
        outcome.damagedTags += 1
        if outcome.firstDamage == nil { outcome.firstDamage = base + position }
        return position + 1
    }

    @inline(__always)
    private func find(_ byte: Int32, from position: Int) -> Int? {
        guard position < end, let found = memchr(buffer + position, byte, end - position) else { return nil }
        return found.assumingMemoryBound(to: UInt8.self) - buffer
    }

    @inline(__always)
    private func slice(_ from: Int, _ to: Int) -> RawText { RawText(start: buffer + from, count: to - from) }

    /// Moves what is kept to the front and reads behind it; false at the end of the stream.
    private func refill(keeping position: inout Int) throws -> Bool {
        guard !isAtEnd else { return false }
        let kept = end - position
        memmove(buffer, buffer + position, kept)
        base += position
        position = 0
        end = kept
        // Fill at least half: few moves, also with a feed of small pieces.
        while end < capacity {
            let got = try feed.read(into: UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity - end))
            if got == 0 {
                isAtEnd = true
                break
            }
            end += got
            if end >= capacity / 2 { break }
        }
        return end > kept
    }

    /// Passes over content up to `-->` or `]]>`.
    private func pass(from start: Int, upTo mark: UInt8, _ content: (RawText) throws -> Void) throws -> Int {
        var position = start
        var first = start
        while true {
            guard let close = find(0x3E, from: position) else {
                // The last two bytes may be the beginning of the end.
                let keep = max(first, end - 2)
                if keep > first { try content(slice(first, keep)) }
                first = keep
                guard try refill(keeping: &first) else {
                    outcome.isCutOff = true
                    return end
                }
                position = first
                continue
            }
            if close >= first + 2, buffer[close - 1] == mark, buffer[close - 2] == mark {
                if close - 2 > first { try content(slice(first, close - 2)) }
                return close + 1
            }
            position = close + 1
        }
    }

    /// What begins with the `<` at this place.
    private func markup<Handler: TagHandler>(at start: Int, _ handler: inout Handler) throws -> Step {
        guard start + 1 < end else { return .needsMore }
        switch buffer[start + 1] {
        case 0x21:
            if starts(with: "<!--", at: start) { return .comment(start + 4) }
            if starts(with: "<![CDATA[", at: start) { return .section(start + 9) }
            // It may become one of the two.
            if end - start < 9, !isAtEnd { return .needsMore }
            return .next(start + 2)
        case 0x3F: return .next(start + 2)
        case 0x2F:
            guard let close = find(0x3E, from: start + 2) else { return .needsMore }
            var last = close
            while last > start + 2, buffer[last - 1] <= 0x20 { last -= 1 }
            guard last > start + 2, last - start < 256 else { return .damaged }
            try handler.close(slice(start + 2, last))
            return .next(close + 1)
        case let byte where Self.isNameStart(byte): return try element(at: start, &handler)
        default: return .damaged
        }
    }

    private func starts(with word: StaticString, at start: Int) -> Bool {
        end - start >= word.utf8CodeUnitCount && memcmp(buffer + start, word.utf8Start, word.utf8CodeUnitCount) == 0
    }

    @inline(__always)
    private static func isNameStart(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte == 0x3A || byte >= 0x80
    }

    /// Letters, digits, `-`, `.`, `_`, `:` and all that is not ASCII.
    @inline(__always)
    private static func isName(_ byte: UInt8) -> Bool {
        isNameStart(byte) || byte &- 0x30 < 10 || byte == 0x2D || byte == 0x2E
    }

    /// A start tag with its attributes.
    private func element<Handler: TagHandler>(at start: Int, _ handler: inout Handler) throws -> Step {
        var position = start + 1
        while position < end, Self.isName(buffer[position]) { position += 1 }
        let name = slice(start + 1, position)
        var count = 0
        while true {
            let before = position
            while position < end, buffer[position] <= 0x20 { position += 1 }
            guard position < end else { return .needsMore }
            let byte = buffer[position]
            if byte == 0x3E {
                let tag = RawTag(name: name, attributes: .init(start: attributes, count: count), isEmpty: false)
                try handler.open(tag)
                return .next(position + 1)
            }
            if byte == 0x2F {
                guard position + 1 < end else { return .needsMore }
                guard buffer[position + 1] == 0x3E else { return .damaged }
                let tag = RawTag(name: name, attributes: .init(start: attributes, count: count), isEmpty: true)
                try handler.open(tag)
                return .next(position + 2)
            }
            guard position > before, Self.isNameStart(byte) else { return .damaged }
            let nameStart = position
            position += 1
            while position < end, Self.isName(buffer[position]) { position += 1 }
            let nameEnd = position
            while position < end, buffer[position] <= 0x20 { position += 1 }
            guard position < end else { return .needsMore }
            guard buffer[position] == 0x3D else { return .damaged }
            position += 1
            while position < end, buffer[position] <= 0x20 { position += 1 }
            guard position < end else { return .needsMore }
            let quote = buffer[position]
            guard quote == 0x22 || quote == 0x27 else { return .damaged }
            position += 1
            guard let close = find(Int32(quote), from: position) else { return .needsMore }
            if count < Self.attributeLimit {
                attributes[count] = .init(name: slice(nameStart, nameEnd), value: slice(position, close))
                count += 1
            }
            position = close + 1
        }
    }
}
