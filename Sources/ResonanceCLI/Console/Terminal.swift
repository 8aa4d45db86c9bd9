import Foundation
import Glibc

/// Where a command writes: standard output and error, or the memory of a test.
struct Terminal: Sendable {
    /// Columns of the screen; nil when standard output is a file or a pipe, where nothing is cut.
    var width: Int?
    /// True when a person sees standard output.
    var interactive: Bool
    /// True when a person sees standard error: progress may overwrite its line.
    var progressVisible: Bool
    /// Colour and weight, only for a person and never with `NO_COLOR`.
    var style: TextStyle
    var timeZone: TimeZone
    private let output: @Sendable (String) -> Void
    private let error: @Sendable (String) -> Void
    private let input: @Sendable () -> String?
    private let secretInput: @Sendable (String) -> String?

    init(
        width: Int?, interactive: Bool = false, progressVisible: Bool = false, style: TextStyle = TextStyle(on: false),
        timeZone: TimeZone = .current, output: @escaping @Sendable (String) -> Void,
        error: @escaping @Sendable (String) -> Void, input: @escaping @Sendable () -> String? = { nil },
        secretInput: (@Sendable (String) -> String?)? = nil
    ) {
        self.width = width
        self.interactive = interactive
        self.progressVisible = progressVisible
        self.style = style
        self.timeZone = timeZone
        self.output = output
        self.error = error
        self.input = input
        self.secretInput = secretInput ?? { _ in input() }
    }

    /// The real one.
    static func standard(environment: [String: String] = ProcessInfo.processInfo.environment) -> Terminal {
        let interactive = isatty(STDOUT_FILENO) == 1
        let plain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        return Terminal(
            width: interactive ? screenWidth(environment) : nil, interactive: interactive,
            progressVisible: isatty(STDERR_FILENO) == 1, style: TextStyle(on: interactive && !plain),
            output: { write($0, to: STDOUT_FILENO) }, error: { write($0, to: STDERR_FILENO) },
            input: { readLine() }, secretInput: typedUnseen)
    }

    /// Columns of the screen behind standard output: 80 when it does not say.
    static func screenWidth(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    /// Unbuffered, so that a reader of a pipe has each line at once.
    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return
            }
            bytes = bytes.dropFirst(written)
        }
    }

    func print(_ line: String = "") { output(line + "\n") }

    func print(_ lines: [String]) { if !lines.isEmpty { output(lines.joined(separator: "\n") + "\n") } }

    /// Bytes for the screen as they are: cursor movements, for instance.
    func printRaw(_ text: String) { output(text) }

    /// A line for the person beside the answer: progress, warnings, errors.
    func note(_ line: String) { error(line + "\n") }

    /// One line that the next one overwrites; only drawn for a person.
    func progress(_ line: String) {
        if progressVisible { error("\r\u{1B}[K" + Wording.fit(line, to: (width ?? 80) - 1)) }
    }

    /// Takes the progress line away again.
    func endProgress() { if progressVisible { error("\r\u{1B}[K") } }

    /// A line that the person types; nil at the end of the input.
    func ask(_ question: String) -> String? {
        error(question)
        return input()
    }

    /// What the person types on the controlling terminal without seeing it; nil when there is none.
    func askSecret(_ question: String) -> String? { secretInput(question) }

    /// The C library takes the echo away and gives it back, also when interrupted.
    private static func typedUnseen(_ question: String) -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        close(terminal)
        return getpass(question).map { String(cString: $0) }
    }

    /// The whole answer: one JSON document with sorted keys, or lines for a person.
    func answer(_ value: some Encodable, json: Bool, text: () -> [String]) throws {
        if json { print(try Self.json(value)) } else { print(text()) }
    }

    /// - Parameter pretty: several lines; false for one line of a stream.
    static func json(_ value: some Encodable, pretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// ANSI colour and weight; does nothing when off.
struct TextStyle: Sendable {
    var on: Bool

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func red(_ text: String) -> String { wrap(text, "31") }
    func green(_ text: String) -> String { wrap(text, "32") }
    func yellow(_ text: String) -> String { wrap(text, "33") }
    func cyan(_ text: String) -> String { wrap(text, "36") }

    private func wrap(_ text: String, _ code: String) -> String { on ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
