import Protocols

/// Figures of several processes in the text format of Prometheus, version 0.0.4.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
package struct PrometheusExposition: Sendable {
    /// Of one process; beyond it nothing is taken, since figures come from other processes.
    package static let sampleLimit = 500

    private struct Family {
        var kind: String
        var rows: [String: ProcessMetrics.Sample] = [:]
    }

    private var families: [String: Family] = [:]

    package init() {}

    /// Adds figures; those of a name that Prometheus does not allow, or of another kind than before, are left out.
    ///
    /// - Parameter labels: win over labels of the same name in a sample.
    package mutating func add(_ samples: [ProcessMetrics.Sample], labels: [String: String] = [:]) {
        for sample in samples.prefix(Self.sampleLimit) where Self.isName(sample.name) {
            guard let kind = sample.kind.value?.rawValue else { continue }
            var family = families[sample.name] ?? Family(kind: kind)
            guard family.kind == kind else { continue }
            family.rows[Self.labels((sample.labels ?? [:]).merging(labels) { $1 })] = sample
            families[sample.name] = family
        }
    }

    /// The whole exposition, sorted by name and label.
    package func text() -> String {
        var out = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            out += "# HELP \(name) \(MetricNames.help(name))\n# TYPE \(name) \(family.kind)\n"
            for (labels, sample) in family.rows.sorted(by: { $0.key < $1.key }) {
                if family.kind == ProcessMetrics.Kind.summary.rawValue {
                    out += "\(name)_sum\(labels) \(Self.number(sample.value))\n"
                    out += "\(name)_count\(labels) \(sample.count ?? 0)\n"
                } else {
                    out += "\(name)\(labels) \(Self.number(sample.value))\n"
                }
            }
        }
        return out
    }

    /// Letters, digits, `_` and `:`, not beginning with a digit.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first), text.utf8.count <= 200 else { return false }
        return text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x3A).contains($0) || $0 == 0x5F
        }
    }

    static func labels(_ labels: [String: String]) -> String {
        let pairs = labels.sorted { $0.key < $1.key }.filter { isName($0.key) && !$0.key.contains(":") }
            .map { name, value in
                let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                    .replacing("\n", with: "\\n")
                return "\(name)=\"\(escaped)\""
            }
        return pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
