import CExpat

/// What a reader of a streamed XML file is told, in document order.
protocol XMLReader: AnyObject {
    /// An element begins; `name` is without its namespace prefix.
    func begin(_ name: String) throws(FormatError)
    /// An element ends; `text` is the text directly inside it, with surrounding white space.
    func end(_ name: String, text: String) throws(FormatError)
}

/// Streams an XML document through expat: memory stays constant whatever the size of the file.
///
/// Expat itself stops entity bombs; nesting and the length of one text are bounded here.
final class XMLStream {
    private let stream: ByteStream
    private let reader: any XMLReader
    private let parser: XML_Parser
    private var texts: [[UInt8]] = []
    private var failure: FormatError?
    private static let deepest = 64
    private static let longestText = 1 << 20

    private init(_ stream: ByteStream, _ reader: any XMLReader) throws(FormatError) {
        guard let parser = XML_ParserCreate(nil) else {
            throw FormatError(file: stream.name, cause: "no memory for the XML parser", cure: "try again later")
        }
        self.stream = stream
        self.reader = reader
        self.parser = parser
    }

    deinit { XML_ParserFree(parser) }

    /// Hands every element of the document to the reader.
    ///
    /// - Throws: ``FormatError`` with the line when the document is not well-formed or the reader refuses it.
    static func parse(_ stream: ByteStream, with reader: any XMLReader) throws(FormatError) {
        try XMLStream(stream, reader).run()
    }

    /// The line being parsed, for errors of the reader.
    private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private func run() throws(FormatError) {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { @Sendable user, name, _ in
                guard let user, let name else { return }
                Unmanaged<XMLStream>.fromOpaque(user).takeUnretainedValue().began(String(cString: name))
            },
            { @Sendable user, name in
                guard let user, let name else { return }
                Unmanaged<XMLStream>.fromOpaque(user).takeUnretainedValue().ended(String(cString: name))
            })
        XML_SetCharacterDataHandler(parser) { @Sendable user, bytes, count in
            guard let user, let bytes, count > 0 else { return }
            bytes.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { bytes in
                Unmanaged<XMLStream>.fromOpaque(user).takeUnretainedValue()
                    .read(UnsafeBufferPointer(start: bytes, count: Int(count)))
            }
        }
        while let piece = try stream.next() { try feed(piece, last: false) }
        try feed([], last: true)
    }

    private func feed(_ piece: [UInt8], last: Bool) throws(FormatError) {
        let status = piece.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, Int32($0.count), last ? 1 : 0) }
        }
        if let failure { throw failure }
        guard status == XML_STATUS_OK else {
            let code = XML_GetErrorCode(parser)
            let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
            throw FormatError(
                file: stream.name, place: .line(line),
                cause: last ? "ends too early (\(reason))" : "is not well-formed XML (\(reason))",
                cure: "export or download the file again")
        }
    }

    private func began(_ name: String) {
        guard failure == nil else { return }
        guard texts.count < Self.deepest else { return stop(cause: "is nested deeper than \(Self.deepest) elements") }
        texts.append([])
        tell { () throws(FormatError) in try reader.begin(Self.local(name)) }
    }

    private func ended(_ name: String) {
        guard failure == nil, let text = texts.popLast() else { return }
        tell { () throws(FormatError) in
            try reader.end(Self.local(name), text: String(decoding: text, as: UTF8.self))
        }
    }

    private func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard failure == nil, !texts.isEmpty else { return }
        texts[texts.count - 1].append(contentsOf: bytes)
        if texts[texts.count - 1].count > Self.longestText {
            stop(cause: "holds a text longer than \(Self.longestText) bytes")
        }
    }

    /// Runs a step of the reader; its error gets the line that is being parsed.
    private func tell(_ step: () throws(FormatError) -> Void) {
        do {
            try step()
        } catch {
            failure = error
            if case .file = error.place { failure?.place = .line(line) }
            XML_StopParser(parser, XML_Bool(XML_FALSE))
        }
    }

    private func stop(cause: String) {
        failure = FormatError(
            file: stream.name, place: .line(line), cause: cause, cure: "check that it is the right file")
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private static func local(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
    }
}
