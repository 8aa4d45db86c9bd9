import Metrics
import ServiceKit
import Testing

struct PrometheusTextTests {
    @Test func `writes the exposition format with escaped labels`() {
        let metrics = PrometheusText()
        let drops = Counter(label: "resonance.drops", dimensions: [("cause", "live \"full\"")], factory: metrics)
        drops.increment(by: 2)
        drops.increment()
        Meter(label: "resonance.lag", factory: metrics).set(1.5)
        let timer = Timer(label: "resonance.decide", factory: metrics)
        timer.recordNanoseconds(500_000_000)
        timer.recordNanoseconds(1_000_000_000)
        // Written by hand from https://prometheus.io/docs/instrumenting/exposition_formats/
        #expect(
            metrics.text() == """
                # HELP resonance_decide A figure of the process's own.
                # TYPE resonance_decide summary
                resonance_decide_sum 1.5
                resonance_decide_count 2
                # HELP resonance_drops_total A figure of the process's own.
                # TYPE resonance_drops_total counter
                resonance_drops_total{cause="live \\"full\\""} 3
                # HELP resonance_lag A figure of the process's own.
                # TYPE resonance_lag gauge
                resonance_lag 1.5

                """)
    }
}
