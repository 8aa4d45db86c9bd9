import Bus
import Foundation
import Protocols
import ServiceKit

/// What the hub's endpoint shows: figures in, pages out.
struct MetricsPage {
    /// A hub whose loop has not come round for longer is not well, nanoseconds.
    static let staleNs: Int64 = 5_000_000_000

    var figures: HubFigures?
    /// What the hub's own process uses.
    var usage: [ProcessMetrics.Sample]
    var nowNs: Int64

    func response(_ request: MetricsRequest, overTCP: Bool) -> MetricsResponse {
        switch request {
        case .incomplete: return MetricsResponse(status: 400, body: "the request is not complete\n")
        case .refused(let status): return MetricsResponse(status: status, body: "only GET /metrics is served here\n")
        case .get(let path, let host, _):
            if overTCP, let host, !MetricsRequest.isLocal(host: host) {
                return MetricsResponse(status: 403, body: "ask by a name of this machine\n")
            }
            return content(path)
        }
    }

    private func content(_ path: String) -> MetricsResponse {
        guard ["/", "/metrics", "/processes"].contains(path) else {
            return MetricsResponse(status: 404, body: "there is /metrics (Prometheus) and /processes (JSON)\n")
        }
        if path == "/" {
            return MetricsResponse(status: 200, body: "Resonance hub: /metrics (Prometheus), /processes (JSON)\n")
        }
        guard let figures else { return MetricsResponse(status: 503, body: "the hub has just started\n") }
        guard nowNs - figures.atNs <= Self.staleNs else {
            let seconds = (nowNs - figures.atNs) / 1_000_000_000
            return MetricsResponse(status: 503, body: "the hub's loop has not come round for \(seconds) s\n")
        }
        if path == "/metrics" {
            return MetricsResponse(
                status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: exposition(figures))
        }
        let body = (try? MessageCoding.encode(figures.table)) ?? []
        return MetricsResponse(
            status: 200, type: "application/json", body: String(decoding: body, as: UTF8.self) + "\n")
    }

    private func exposition(_ figures: HubFigures) -> String {
        var text = PrometheusExposition()
        let visitors = figures.table.processes.filter { $0.process.rawValue.hasPrefix("cli-") }
        text.add([.init("resonance_visitors", .gauge, Double(visitors.filter(\.running).count))])
        for row in figures.table.processes where !row.process.rawValue.hasPrefix("cli-") {
            text.add(Self.samples(row), labels: ["process": row.process.rawValue])
            text.add(
                [.init("resonance_build_info", .gauge, 1)],
                labels: ["process": row.process.rawValue, "version": row.version])
        }
        text.add(figures.own.samples + usage, labels: ["process": ProcessName.hub.rawValue])
        for (name, body) in figures.metrics where !name.rawValue.hasPrefix("cli-") {
            guard let metrics = try? MessageCoding.decode(ProcessMetrics.self, from: body) else { continue }
            text.add(metrics.samples, labels: ["process": name.rawValue])
        }
        return text.text()
    }

    private static func samples(_ row: ProcessTable.Row) -> [ProcessMetrics.Sample] {
        func one(_ isTrue: Bool) -> Double { isTrue ? 1 : 0 }
        var samples: [ProcessMetrics.Sample] = [
            .init("resonance_process_up", .gauge, one(row.running)),
            .init("resonance_process_ready", .gauge, one(row.ready)),
            .init("resonance_process_silent_seconds", .gauge, row.silentSeconds),
            .init("resonance_process_restarts_total", .counter, Double(row.restarts)),
            .init("resonance_topics_silent", .gauge, Double(row.topics.filter { $0.alive == false }.count)),
        ]
        if let wanted = row.wanted {
            samples.append(.init("resonance_process_wanted", .gauge, one(wanted == .yes)))
            samples.append(.init("resonance_process_given_up", .gauge, one(wanted == .givenUp)))
        }
        return samples
    }
}
