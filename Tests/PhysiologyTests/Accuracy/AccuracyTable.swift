import Foundation

/// One table of `docs/accuracy.md`: ours, the reference, the difference.
struct AccuracyTable {
    var columns: [String]
    var rows: [[String]] = []

    var text: String {
        let head = [
            "| " + columns.joined(separator: " | ") + " |", "|" + String(repeating: "---|", count: columns.count),
        ]
        return (head + rows.map { "| " + $0.joined(separator: " | ") + " |" }).joined(separator: "\n")
    }

    /// A row of one figure.
    mutating func add(_ names: String..., ours: Double?, reference: Double?, digits: Int = 3) {
        rows.append(
            names + [
                Self.number(ours, digits), Self.number(reference, digits), Self.difference(ours, reference),
            ])
    }

    /// A row that says how far many figures are apart at most.
    mutating func add(_ names: String..., all pairs: [(ours: Double?, reference: Double?)]) {
        let known = pairs.filter { $0.ours != nil || $0.reference != nil }
        let lonely = known.count { $0.ours == nil || $0.reference == nil }
        let apart = known.compactMap { pair in
            pair.ours.flatMap { ours in pair.reference.map { abs(ours - $0) } }
        }
        let most = lonely > 0 ? "\(lonely) without a partner" : Self.magnitude(apart.max() ?? 0)
        rows.append(names + ["\(known.count)", most])
    }

    static func number(_ value: Double?, _ digits: Int) -> String {
        guard let value else { return "–" }
        return value == value.rounded() && abs(value) < 1e9 && digits == 0
            ? "\(Int(value))" : String(format: "%.\(digits)f", value)
    }

    static func difference(_ ours: Double?, _ reference: Double?) -> String {
        guard let ours, let reference else { return ours == nil && reference == nil ? "both none" : "**only one**" }
        let size = magnitude(abs(ours - reference))
        return size.first?.isNumber == true && size != "0" ? (ours < reference ? "−" : "+") + size : size
    }

    /// What rounding alone makes is not told by its digits, which differ from machine to machine.
    static func magnitude(_ value: Double) -> String {
        if value == 0 { return "0" }
        return value < 1e-8 ? "< 1e-8" : String(format: "%.2g", value)
    }
}
