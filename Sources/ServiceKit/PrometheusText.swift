import Foundation
import Metrics
import Protocols
import Synchronization

/// What swift-metrics records in this process: counters, meters as gauges, recorders and timers as summaries with
/// `_count` and `_sum` (timers in seconds).
///
/// No Prometheus backend for swift-metrics is in reach of this project, so there is this one.
package final class PrometheusText: MetricsFactory, Sendable {
    fileprivate struct Key: Hashable {
        var name: String
        var labels: [String: String]?
    }

    fileprivate struct Series {
        enum Kind { case counter, gauge, summary }
        var kind: Kind
        var value = 0.0
        var count = 0
    }

    fileprivate let series = Mutex<[Key: Series]>([:])

    package init() {}

    /// Everything that was recorded, sorted; counters get the ending `_total`.
    package func samples() -> [ProcessMetrics.Sample] {
        series.withLock { $0 }.sorted { $0.key.name < $1.key.name }.map { key, row in
            switch row.kind {
            case .counter:
                .init(
                    key.name.hasSuffix("_total") ? key.name : key.name + "_total", .counter, row.value,
                    labels: key.labels)
            case .gauge: .init(key.name, .gauge, row.value, labels: key.labels)
            case .summary: .init(key.name, .summary, row.value, labels: key.labels, count: UInt64(row.count))
            }
        }
    }

    /// The whole exposition, sorted by name.
    package func text() -> String {
        var exposition = PrometheusExposition()
        exposition.add(samples())
        return exposition.text()
    }

    private func handler(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Handler {
        let key = Key(name: Self.name(label), labels: Self.labels(dimensions))
        series.withLock { if $0[key] == nil { $0[key] = Series(kind: kind) } }
        return Handler(owner: self, key: key)
    }

    /// Prometheus names: letters, digits, `_` and `:`.
    static func name(_ label: String) -> String {
        String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":") ? $0 : "_" })
    }

    static func labels(_ dimensions: [(String, String)]) -> [String: String]? {
        dimensions.isEmpty ? nil : Dictionary(dimensions.map { (name($0.0), $0.1) }) { $1 }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions, .counter)
    }
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        handler(label, dimensions, .gauge)
    }
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions, aggregate ? .summary : .gauge)
    }
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(label, dimensions, .summary)
    }
    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func remove(_ handler: AnyObject) {
        guard let handler = handler as? Handler else { return }
        series.withLock { $0[handler.key] = nil }
    }

    /// One series, under whichever of the handler roles it was asked for.
    fileprivate final class Handler: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
        let owner: PrometheusText
        let key: Key

        init(owner: PrometheusText, key: Key) {
            self.owner = owner
            self.key = key
        }

        private func change(_ body: (inout Series) -> Void) {
            owner.series.withLock { if var row = $0[key] { body(&row); $0[key] = row } }
        }

        func increment(by amount: Int64) { change { $0.value += Double(amount) } }
        func reset() { change { $0.value = 0 } }
        func set(_ value: Int64) { set(Double(value)) }
        func set(_ value: Double) { change { $0.value = value } }
        func increment(by amount: Double) { change { $0.value += amount } }
        func decrement(by amount: Double) { change { $0.value -= amount } }
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) {
            change {
                if $0.kind == .gauge { $0.value = value } else { $0.value += value; $0.count += 1 }
            }
        }
        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    }
}
