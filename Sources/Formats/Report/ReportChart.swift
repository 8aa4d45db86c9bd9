import Foundation
import Physiology

/// Charts of the report as inline SVG; colours come from the style sheet, so that light and dark both work.
enum ReportChart {
    static let width = 720.0
    static let height = 200.0
    static let margin = (left: 44.0, right: 12.0, top: 12.0, bottom: 26.0)

    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // What no page may hold.
            case _ where scalar.value < 0x20 && scalar != "\n" && scalar != "\t": result += "�"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func number(_ value: Double, _ digits: Int = 1) -> String {
        guard value.isFinite else { return "–" }
        let scale = pow(10, Double(digits))
        let rounded = (value * scale).rounded() / scale
        return digits == 0 ? "\(Int(rounded))" : "\(rounded == 0 ? 0 : rounded)"
    }

    /// A figure with a caption, the picture, and the same numbers as a table for those who do not see it.
    static func figure(
        id: String, title: String, description: String, svg: String, header: [String], rows: [[String]]
    ) -> String {
        """
        <figure>
        <figcaption>\(escaped(title))</figcaption>
        <svg viewBox="0 0 \(Int(width)) \(Int(height))" role="img" aria-labelledby="\(id)-t \(id)-d">
        <title id="\(id)-t">\(escaped(title))</title><desc id="\(id)-d">\(escaped(description))</desc>
        \(svg)
        </svg>
        <details><summary>Numbers</summary>\(table(header: header, rows: rows))</details>
        </figure>
        """
    }

    static func table(header: [String], rows: [[String]]) -> String {
        let head = header.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        let body = rows.map { row in
            "<tr>" + row.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>"
        }.joined(separator: "\n")
        return "<div class=\"scroll\"><table><thead><tr>\(head)</tr></thead><tbody>\n\(body)\n</tbody></table></div>"
    }

    /// Maps values and days to the picture.
    struct Frame {
        var x: ClosedRange<Double>
        var y: ClosedRange<Double>

        init(x: ClosedRange<Double>, y: ClosedRange<Double>) {
            self.x = x.lowerBound < x.upperBound ? x : x.lowerBound - 0.5...x.upperBound + 0.5
            self.y = y.lowerBound < y.upperBound ? y : y.lowerBound - 0.5...y.upperBound + 0.5
        }

        func px(_ value: Double) -> Double {
            margin.left + (value - x.lowerBound) / (x.upperBound - x.lowerBound) * (width - margin.left - margin.right)
        }

        func py(_ value: Double) -> Double {
            height - margin.bottom
                - (value - y.lowerBound) / (y.upperBound - y.lowerBound) * (height - margin.top - margin.bottom)
        }

        /// Grid lines with their values, and labels below.
        func axes(labels: [(x: Double, text: String)], digits: Int) -> String {
            var svg = ""
            for step in 0...4 {
                let value = y.lowerBound + (y.upperBound - y.lowerBound) * Double(step) / 4
                let at = number(py(value))
                svg +=
                    "<line class=\"grid\" x1=\"\(margin.left)\" x2=\"\(width - margin.right)\" y1=\"\(at)\" y2=\"\(at)\"/>"
                svg +=
                    "<text x=\"\(margin.left - 6)\" y=\"\(number(py(value) + 4))\" class=\"end\">\(number(value, digits))</text>"
            }
            for label in labels {
                svg +=
                    "<text x=\"\(number(px(label.x)))\" y=\"\(height - 8)\" class=\"mid\">\(escaped(label.text))</text>"
            }
            return svg
        }
    }

    /// About six labels of days.
    static func dayLabels(_ from: Int, _ to: Int) -> [(x: Double, text: String)] {
        let step = max(1, (to - from + 5) / 6)
        return stride(from: from, through: to, by: step).map {
            (Double($0), String("\(LocalDate(number: $0))".dropFirst(5)))
        }
    }

    /// Lines by day, broken where days are missing.
    static func lines(_ lines: [[(day: Int, value: Double)]], from: Int, to: Int, digits: Int) -> String {
        let values = lines.flatMap { $0.map(\.value) }
        guard let low = values.min(), let high = values.max() else { return "" }
        let room = max((high - low) * 0.1, 0.01)
        let frame = Frame(x: Double(from)...Double(max(from, to)), y: low - room...high + room)
        var svg = frame.axes(labels: dayLabels(from, to), digits: digits)
        for (index, line) in lines.enumerated() {
            var path = ""
            var previous: Int?
            for point in line.sorted(by: { $0.day < $1.day }) {
                let connected = previous.map { point.day - $0 <= 1 } ?? false
                path +=
                    "\(connected ? "L" : "M")\(number(frame.px(Double(point.day)))) \(number(frame.py(point.value))) "
                previous = point.day
                svg +=
                    "<circle class=\"dot s\(index % 5)\" r=\"2.5\" cx=\"\(number(frame.px(Double(point.day))))\" cy=\"\(number(frame.py(point.value)))\"/>"
            }
            svg += "<path class=\"line s\(index % 5)\" d=\"\(path)\"/>"
        }
        return svg
    }

    /// Stacked bars: each part with the class of its colour.
    static func bars(
        _ bars: [(x: Double, parts: [(style: String, value: Double)])], from: Double, to: Double, top: Double,
        labels: [(x: Double, text: String)], digits: Int, mark: Double? = nil
    ) -> String {
        let frame = Frame(x: from - 0.5...to + 0.5, y: 0...max(top, 0.001))
        var svg = frame.axes(labels: labels, digits: digits)
        let wide = max(1, (frame.px(1) - frame.px(0)) * 0.8)
        for bar in bars {
            var base = 0.0
            for part in bar.parts where part.value > 0 {
                let upper = frame.py(base + part.value)
                svg +=
                    "<rect class=\"\(part.style)\" x=\"\(number(frame.px(bar.x) - wide / 2))\" y=\"\(number(upper))\" width=\"\(number(wide))\" height=\"\(number(frame.py(base) - upper))\"/>"
                base += part.value
            }
        }
        if let mark {
            let at = number(frame.py(mark))
            svg +=
                "<line class=\"mark\" x1=\"\(margin.left)\" x2=\"\(width - margin.right)\" y1=\"\(at)\" y2=\"\(at)\"/>"
        }
        return svg
    }
}
