import Physiology
import Protocols

/// The day of a watch: heart rate, steps, stages of sleep, resting heart rate and HRV of the night.
///
/// Source: Garmin FIT SDK, profile of `monitoring`, `monitoring_hr_data`, `sleep_level`, `hrv_status_summary`.
struct FITMonitoring {
    private let source: String
    /// Seconds of FIT time of the newest full timestamp: `timestamp_16` holds only its low half.
    private var seconds: Int64?
    /// Cumulative steps of each activity of the day, with the moment.
    private var steps: [String: (at: Timestamp, total: Double)] = [:]
    private var stage: (at: Timestamp, stage: SleepSegment.Stage?)?
    /// FIT time begins on 1989-12-31.
    private static let epoch: Int64 = 631_065_600

    init(source: String) { self.source = source }

    mutating func take(_ message: FITMessage, into sink: inout HealthSink) throws {
        switch message.number {
        case 55: try monitoring(message, &sink)
        // The beginning of the file's days: what its short timestamps count from.
        case 103: _ = moment(message)
        case 211: try resting(message, &sink)
        case 275: try sleep(message, &sink)
        case 370: try night(message, &sink)
        default: break
        }
    }

    private mutating func moment(_ message: FITMessage) -> Timestamp? {
        if let full = message.timestamp {
            seconds = full.milliseconds / 1000 - Self.epoch
            return full
        }
        guard let low = message["timestamp_16"]?.integer, let base = seconds else { return nil }
        let moved = base + ((low - base) & 0xFFFF)
        seconds = moved
        return Timestamp(milliseconds: (moved + Self.epoch) * 1000)
    }

    private mutating func monitoring(_ message: FITMessage, _ sink: inout HealthSink) throws {
        guard let at = moment(message) else {
            sink.skip(.unreadableTime)
            return
        }
        guard !sink.isFuture(at) else {
            sink.skip(.future)
            return
        }
        if let bpm = message["heart_rate"]?.double, bpm > 0 {
            if let bpm = sink.value(bpm, in: 20...300) {
                try sink.emit(.heartRate(HeartRateRecord(at: at, bpm: bpm, source: source)))
            }
        }
        // The low five bits of a byte that also holds the intensity, where the activity is not told by itself.
        let packed = message["current_activity_type_intensity"]?.elements.first?.integer.map { $0 & 0x1F }
        let activity =
            message["activity_type"]?.description ?? packed.map { [1: "running", 6: "walking"][$0] ?? "" } ?? ""
        guard activity == "walking" || activity == "running", let cycles = message["cycles"]?.double else { return }
        // Half cycles of the profile: for walkers and runners the field is called steps and has no scale.
        let total = cycles * 2
        if let before = steps[activity], total >= before.total, at > before.at {
            let more = total - before.total
            if more > 0, at.seconds(since: before.at) <= 86_400 {
                try sink.emit(
                    .quantity(QuantityRecord(kind: .steps, start: before.at, end: at, value: more, source: source)))
            }
        } else if total > 0 {
            // The first figure of a file, or a new day: when these steps were made is not told.
            let start = steps[activity].map { min($0.at, at) } ?? at
            let fresh = at.seconds(since: start) <= 86_400 ? start : at
            try sink.emit(
                .quantity(QuantityRecord(kind: .steps, start: fresh, end: at, value: total, source: source)))
        }
        steps[activity] = (at, total)
    }

    private mutating func resting(_ message: FITMessage, _ sink: inout HealthSink) throws {
        let value = message["current_day_resting_heart_rate"]?.double ?? message["resting_heart_rate"]?.double
        guard let at = message.timestamp, let value, value > 0, sink.accepts(at, at),
            let bpm = sink.value(value, in: 20...200)
        else { return }
        try sink.emit(.restingHeartRate(RestingRecord(at: at, createdAt: at, bpm: bpm, source: source)))
    }

    private mutating func night(_ message: FITMessage, _ sink: inout HealthSink) throws {
        guard let at = message.timestamp, let rmssd = message["last_night_average"]?.double, rmssd > 0,
            sink.accepts(at, at), let rmssd = sink.value(rmssd, in: 1...500)
        else { return }
        try sink.emit(
            .variability(VariabilityRecord(start: at, end: at, kind: .night, rmssdMs: rmssd, source: source)))
    }

    /// Each message begins a stage: 1 awake, 2 light, 3 deep, 4 REM; 0 ends the measuring.
    private mutating func sleep(_ message: FITMessage, _ sink: inout HealthSink) throws {
        guard let at = message.timestamp, let level = message["sleep_level"]?.integer else { return }
        if let before = stage, let kind = before.stage, at > before.at, at.seconds(since: before.at) <= 6 * 3600,
            sink.accepts(before.at, at)
        {
            try sink.emit(
                .sleep(SleepSegment(start: before.at, end: at, stage: kind, source: source, isWatch: true)))
        }
        let stages: [SleepSegment.Stage?] = [nil, .awake, .core, .deep, .rem]
        stage = (at, level >= 0 && level < stages.count ? stages[Int(level)] : nil)
    }
}
