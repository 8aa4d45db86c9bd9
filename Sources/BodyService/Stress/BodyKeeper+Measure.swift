import Bus
import Physiology
import Protocols

/// Measuring on purpose.
extension BodyKeeper {
    /// Seconds of a measurement, and of waiting for the sensor's word and for its last samples.
    static let measureSeconds = 60.0
    static let sensorDeadline = Duration.seconds(5)
    static let lastSamples = 2.0
    /// A heart rate this young says that some sensor is there, whether it answers or not, s.
    static let freshSample = 10.0

    /// Asks the sensor for a minute; whoever asks meanwhile gets the same answer.
    func measure(_ request: IncomingRequest, bus: any BusPort) {
        guard live.measurement == nil else {
            live.measurement?.requests.append(request)
            return
        }
        live.measurement = LiveBody.Measurement(requests: [request])
        bus.ask(SenseDensely(seconds: Self.measureSeconds), deadline: Self.sensorDeadline) { [weak self] answer in
            await self?.sensorAnswered(answer, bus: bus)
        }
    }

    private func sensorAnswered(_ answer: Result<SensingStarted, Refusal>, bus: any BusPort) {
        guard let measurement = live.measurement, measurement.endAt == nil else { return }
        let newest = live.kept.stress.estimator.newestHeartRateAt
        switch answer {
        case .success:
            live.measurement?.endAt = bus.now.adding(seconds: Self.measureSeconds)
        case .failure where newest.map { bus.now.seconds(since: $0) <= Self.freshSample } ?? false:
            // Some other sensor speaks.
            live.measurement?.endAt = bus.now.adding(seconds: Self.measureSeconds)
        case .failure(let refusal):
            endMeasurement(
                Refusal(
                    code: "unavailable",
                    message: "no sensor answers (\(refusal.message)); start sensor-emitter, or put the watch on"))
        }
    }

    func finishMeasurement(_ baseline: Baseline, bus: any BusPort) throws {
        guard let endAt = live.measurement?.endAt, bus.now.seconds(since: endAt) >= Self.lastSamples else { return }
        guard let reading = makeReading(baseline, source: .manual, bus: bus), reading.isHeld == false else {
            let gate = live.kept.stress.estimator.gate(at: bus.now, baseline: baseline)
            endMeasurement(Self.whyNoReading(gate))
            return
        }
        bus.publish(reading, on: Registry.stress(listener))
        bus.say(nil, of: Registry.stress(listener))
        let requests = live.measurement?.requests ?? []
        live.measurement = nil
        for request in requests { request.reply(reading) }
        try keepReading(reading, alert: nil)
    }

    private static func whyNoReading(_ gate: StressGate) -> Refusal {
        switch gate {
        case .none: Refusal(code: "no-samples", message: "the sensor told no heart rate for a minute; is it worn?")
        case .active:
            Refusal(code: "gated", message: "you are moving; sit still for two minutes and measure again")
        case .recovering:
            Refusal(
                code: "gated",
                message: "the heart still recovers from movement; measure again in a quarter of an hour")
        }
    }

    /// Nobody is left without an answer.
    func endMeasurement(_ refusal: Refusal) {
        let requests = live.measurement?.requests ?? []
        live.measurement = nil
        for request in requests { request.refuse(refusal) }
    }
}
