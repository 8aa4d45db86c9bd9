import Foundation

/// Writes comma-separated text as RFC 4180 has it, safe to open in a spreadsheet.
package struct CSVTable: Sendable {
    package enum Cell: Hashable, Sendable {
        case text(String)
        case number(Double)
        case whole(Int)
        case missing
    }

    private var lines: [String]
    private let width: Int

    package init(_ header: [String]) {
        width = header.count
        lines = [header.map(Self.quoted).joined(separator: ",")]
    }

    /// - Parameter cells: missing ones at the end may be left out, further ones are dropped.
    package mutating func add(_ cells: [Cell]) {
        let row = cells.prefix(width) + Array(repeating: .missing, count: max(0, width - cells.count))
        lines.append(row.map(Self.written).joined(separator: ","))
    }

    /// The whole file; lines end in CR LF.
    package var text: String { lines.joined(separator: "\r\n") + "\r\n" }

    static func written(_ cell: Cell) -> String {
        switch cell {
        case .text(let text): quoted(harmless(text))
        case .number(let number): number.isFinite ? "\(rounded(number))" : ""
        case .whole(let number): "\(number)"
        case .missing: ""
        }
    }

    /// Six decimals are beyond anything that is measured here.
    private static func rounded(_ number: Double) -> Double {
        let scaled = (number * 1e6).rounded() / 1e6
        return scaled == 0 ? 0 : scaled
    }

    private static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }) else {
            return text
        }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }

    /// A text that a spreadsheet would run as a formula begins with an apostrophe instead.
    ///
    /// Source: OWASP, "CSV Injection".
    private static func harmless(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }
}

extension CSVTable.Cell {
    package init(_ number: Double?) { self = number.map { .number($0) } ?? .missing }
    package init(_ number: Int?) { self = number.map { .whole($0) } ?? .missing }
    package init(_ text: String?) { self = text.map { .text($0) } ?? .missing }
    package init(_ flag: Bool?) { self = flag.map { .text($0 ? "true" : "false") } ?? .missing }
}
