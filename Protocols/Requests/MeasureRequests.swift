/// Measures stress on purpose: the sensor is asked for a minute of heart rate and beats.
///
/// Answered when the minute is over, so ask with a deadline of ``deadlineSeconds``. Refused as `unavailable` when no sensor
/// answers, as `no-samples` when one does and then tells no heart rate, as `gated` while the listener moves.
package struct MeasureStress: Request {
    package typealias Reply = StressReading
    package static let target = ProcessName.body
    package static let name = "measure"
    package static let deadlineSeconds = 90.0
    package init() {}
}

/// Asks the sensor for dense samples: heart rate once a second and every beat, on the usual topics.
package struct SenseDensely: Request {
    package typealias Reply = SensingStarted
    package static let target = ProcessName.sensor
    package static let name = "sense"
    /// 10…600.
    package var seconds: Double
    package init(seconds: Double) { self.seconds = seconds }
}

/// The sensor has begun.
package struct SensingStarted: Message {
    /// `simulation`, `replay`, `strap`, `watch`.
    package var source: String
    package var endAt: Timestamp
    package init(source: String, endAt: Timestamp) {
        self.source = source
        self.endAt = endAt
    }
}
