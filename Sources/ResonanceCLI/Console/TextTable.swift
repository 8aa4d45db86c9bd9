import Protocols

/// Rows in aligned columns. On a screen that is too narrow the columns that may shrink do, the widest first.
struct TextTable {
    struct Column {
        var title: String
        var right: Bool
        var shrinks: Bool

        /// Text; may be cut when the screen is narrow.
        static func text(_ title: String) -> Column { Column(title: title, right: false, shrinks: true) }
        /// Text that must stay whole: names and ids that a person types again.
        static func word(_ title: String) -> Column { Column(title: title, right: false, shrinks: false) }
        /// A figure, at the right.
        static func figure(_ title: String) -> Column { Column(title: title, right: true, shrinks: false) }
    }

    private static let gap = 2
    /// No column shrinks below this.
    private static let least = 8

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ cells: String...) { rows.append(cells) }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The title row and all rows, without blanks at the ends of lines.
    func lines(width: Int?, style: TextStyle) -> [String] {
        let widths = columnWidths(total: width)
        func line(_ cells: [String]) -> String {
            var text = ""
            for (index, column) in columns.enumerated() {
                let cell = index < cells.count ? oneLine(cells[index]) : ""
                let cut = column.shrinks ? Wording.fit(cell, to: widths[index]) : cell
                if index > 0 { text += String(repeating: " ", count: Self.gap) }
                text += Wording.pad(cut, to: widths[index], right: column.right)
            }
            while text.last == " " { text.removeLast() }
            return text
        }
        return [style.dim(line(columns.map { $0.title.uppercased() }))] + rows.map(line)
    }

    private func columnWidths(total: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(Wording.displayWidth(columns[index].title)) { widest, row in
                index < row.count ? max(widest, Wording.displayWidth(oneLine(row[index]))) : widest
            }
        }
        guard let total else { return widths }
        var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - total
        while excess > 0 {
            let candidates = columns.indices.filter { columns[$0].shrinks && widths[$0] > Self.least }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    /// Titles come from foreign files: a control character must not move the cursor.
    private func oneLine(_ text: String) -> String { text.printable }
}

extension String {
    /// Without control characters, which in a file name or a song title could steer the terminal.
    var printable: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
}
