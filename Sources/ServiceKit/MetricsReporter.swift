import Bus
import Metrics
import Protocols

extension PeerFigures {
    /// As operators read them.
    package var samples: [ProcessMetrics.Sample] {
        var samples: [ProcessMetrics.Sample] = []
        for kind in DeliveryClass.allCases {
            let labels = ["class": "\(kind)"]
            samples.append(.init("resonance_messages_sent_total", .counter, Double(sent[kind]), labels: labels))
            samples.append(.init("resonance_messages_received_total", .counter, Double(received[kind]), labels: labels))
        }
        for (cause, count) in drops {
            samples.append(.init("resonance_messages_dropped_total", .counter, Double(count), labels: ["cause": cause]))
        }
        for (queue, depth) in queueDepths {
            samples.append(.init("resonance_queue_messages", .gauge, Double(depth), labels: ["queue": queue]))
        }
        samples.append(.init("resonance_loop_lag_seconds", .gauge, loopLagMs / 1000))
        return samples
    }
}

/// Says the figures of this process on the bus as often as the registry has it.
struct MetricsReporter: Sendable {
    let peer: BusPeer

    func run() async {
        while !Task.isCancelled, !peer.isJoined { try? await Task.sleep(for: .seconds(1)) }
        while !Task.isCancelled {
            peer.say(peer.figures.samples + ProcessUsage.samples() + PrometheusText.process.samples())
            try? await Task.sleep(for: .seconds(Registry.metrics.spec.period ?? 5))
        }
    }
}

extension PrometheusText {
    /// What libraries of this process say through swift-metrics.
    package static let process: PrometheusText = {
        let metrics = PrometheusText()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()
}
