import Protocols
import Testing

@testable import Bus
@testable import HubService

struct MetricsPageTests {
    private static func page(_ nowNs: Int64 = 0) throws -> MetricsPage {
        var row = ProcessTable.Row(
            process: .brain, running: true, ready: true, pid: 7, version: "0.1.0", restarts: 2, silentSeconds: 0.5,
            topics: [.init(topic: "state/vector/me", alive: false, silentSeconds: 100)])
        row.wanted = Open(.yes)
        let visitor = ProcessTable.Row(
            process: "cli-9", running: true, ready: true, pid: 9, version: "0.1.0", restarts: 0, silentSeconds: 0,
            topics: [])
        let metrics = ProcessMetrics(
            process: .brain,
            samples: [
                .init("process_resident_memory_bytes", .gauge, 1024),
                .init("resonance_messages_sent_total", .counter, 3, labels: ["class": "state"]),
                .init("9lives", .gauge, 1), .init("bad name", .gauge, 1),
                .init("resonance_process_up", .counter, 0),
            ])
        let figures = HubFigures(
            table: ProcessTable(at: Timestamp(milliseconds: 0), hubEpoch: 1, processes: [row, visitor]),
            metrics: [.brain: try MessageCoding.encode(metrics), .body: Array("no JSON".utf8)],
            own: PeerFigures(
                sent: ClassCounts(), received: ClassCounts(), drops: ["garbage": 4], queueDepths: ["kept": 5],
                loopLagMs: 250),
            atNs: 0)
        return MetricsPage(figures: figures, usage: [.init("process_open_fds", .gauge, 12)], nowNs: nowNs)
    }

    private func get(_ page: MetricsPage, _ path: String, host: String? = nil, tcp: Bool = false) -> MetricsResponse {
        page.response(.get(path: path, host: host, headOnly: false), overTCP: tcp)
    }

    @Test func `one page has the figures of every process, under the name of the process`() throws {
        let answer = get(try Self.page(), "/metrics")
        #expect(answer.status == 200)
        let lines = answer.body.split(separator: "\n").map(String.init)
        for line in [
            #"resonance_process_up{process="brain"} 1"#, #"resonance_process_restarts_total{process="brain"} 2"#,
            #"resonance_process_wanted{process="brain"} 1"#, #"resonance_process_given_up{process="brain"} 0"#,
            #"resonance_topics_silent{process="brain"} 1"#, #"process_resident_memory_bytes{process="brain"} 1024"#,
            #"resonance_messages_sent_total{class="state",process="brain"} 3"#,
            #"resonance_messages_dropped_total{cause="garbage",process="hub"} 4"#,
            #"resonance_queue_messages{process="hub",queue="kept"} 5"#,
            #"resonance_loop_lag_seconds{process="hub"} 0.25"#, #"process_open_fds{process="hub"} 12"#,
            #"resonance_build_info{process="brain",version="0.1.0"} 1"#, "resonance_visitors 1",
            "# TYPE resonance_messages_sent_total counter",
        ] { #expect(lines.contains(line), "\(line)") }
        // Neither names that Prometheus refuses, nor a figure under a kind that it does not have, nor a visitor.
        #expect(!answer.body.contains("9lives") && !answer.body.contains("bad name") && !answer.body.contains("cli-9"))
        #expect(lines.filter { $0.hasPrefix("# TYPE resonance_process_up ") } == ["# TYPE resonance_process_up gauge"])
        // Topics of listeners stay inside.
        #expect(!answer.body.contains("/me"))
    }

    @Test func `a hub whose loop hangs, or has just started, says so instead of old figures`() throws {
        #expect(get(try Self.page(5_000_000_000), "/processes").status == 200)
        let late = get(try Self.page(9_000_000_000), "/processes")
        #expect(late.status == 503 && late.body.contains("9 s"))
        #expect(get(MetricsPage(figures: nil, usage: [], nowNs: 0), "/metrics").status == 503)
    }

    @Test func `strangers, other paths and other names are refused`() throws {
        let page = try Self.page()
        #expect(get(page, "/metrics", host: "evil.example", tcp: true).status == 403)
        #expect(get(page, "/metrics", host: "localhost:9464", tcp: true).status == 200)
        #expect(get(page, "/metrics", host: "anything").status == 200)
        #expect(get(page, "/../secret").status == 404)
        #expect(page.response(.refused(status: 405), overTCP: false).status == 405)
    }

    @Test func `an answer is whole HTTP, and a HEAD has no body`() {
        let answer = MetricsResponse(status: 404, body: "no\n")
        let text = String(decoding: answer.bytes(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(text.contains("\r\nContent-Length: 3\r\n"))
        #expect(text.hasSuffix("\r\n\r\nno\n"))
        #expect(String(decoding: answer.bytes(headOnly: true), as: UTF8.self).hasSuffix("\r\n\r\n"))
    }
}
