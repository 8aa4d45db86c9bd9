/// Figures of one process about itself, for operators: nothing in them tells of the listener.
package struct ProcessMetrics: Message {
    /// What a figure is, in the words of Prometheus.
    package enum Kind: String, Codable, Sendable {
        /// Only grows, from 0 at the start of the process.
        case counter
        case gauge
        /// A sum with the count of what was summed.
        case summary
    }

    package struct Sample: Codable, Hashable, Sendable {
        /// As Prometheus names it: base unit at the end, counters with `_total`.
        package var name: String
        package var kind: Open<Kind>
        /// The parts that the figure is split into, such as a delivery class; never a topic of a listener.
        package var labels: [String: String]?
        package var value: Double
        /// Of a summary: how many values make up the sum.
        package var count: UInt64?

        package init(
            _ name: String, _ kind: Kind, _ value: Double, labels: [String: String]? = nil, count: UInt64? = nil
        ) {
            self.name = name
            self.kind = Open(kind)
            self.labels = labels
            self.value = value
            self.count = count
        }
    }

    package var process: ProcessName
    package var samples: [Sample]

    package init(process: ProcessName, samples: [Sample]) {
        self.process = process
        self.samples = samples
    }
}
