import Physiology
import Protocols

/// Garmin's Training Center Database: activities, laps and track points, with the extensions for power and speed.
struct TCXReader: TrackReader {
    var sink: HealthSink
    private(set) var hasRoot = false
    private var path: [String] = []
    private var sport = ""
    private var creator = ""
    private var start: Timestamp?
    private var samples: [WorkoutSample] = []
    private var sample: WorkoutSample?
    private var lap = Lap()
    private var laps: [Lap] = []

    private struct Lap {
        var seconds: Double?
        var metres: Double?
        var kcal: Double?
        var meanBpm: Double?
        var maximumBpm: Double?
    }

    init(_ sink: HealthSink) { self.sink = sink }

    mutating func begin(_ name: String, _ tag: RawTag) throws {
        path.append(name)
        if path.count > 64 { path.removeFirst() }
        switch name {
        case "TrainingCenterDatabase": hasRoot = true
        case "Activity":
            sport = tag["Sport"]?.text ?? ""
            (creator, start, samples, laps) = ("", nil, [], [])
        case "Lap":
            lap = Lap()
            let text = tag["StartTime"]?.text
            start = start ?? text.flatMap { HealthTime.parse($0, defaultOffset: 0)?.timestamp }
        case "Trackpoint": sample = WorkoutSample(at: Timestamp(milliseconds: -1))
        default: break
        }
    }

    mutating func end(_ name: String, text: String) throws {
        let parent = path.dropLast().last ?? ""
        if path.last == name { path.removeLast() }
        let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
        switch (name, parent) {
        case ("Time", "Trackpoint"):
            if let time = HealthTime.parse(text, defaultOffset: 0) { sample?.at = time.timestamp }
        case ("AltitudeMeters", "Trackpoint"): sample?.altitudeM = number
        case ("DistanceMeters", "Trackpoint"): sample?.distanceM = number
        case ("Value", "HeartRateBpm"): sample?.bpm = number.flatMap { (20...300).contains($0) ? $0 : nil }
        case ("Cadence", "Trackpoint"), ("RunCadence", _): sample?.cadence = number
        case ("Watts", _): sample?.powerW = number
        case ("Speed", _): sample?.speedMps = number
        case ("TotalTimeSeconds", "Lap"): lap.seconds = number
        case ("DistanceMeters", "Lap"): lap.metres = number
        case ("Calories", "Lap"): lap.kcal = number
        case ("Value", "AverageHeartRateBpm"): lap.meanBpm = number
        case ("Value", "MaximumHeartRateBpm"): lap.maximumBpm = number
        case ("Name", "Creator"): creator = text
        case ("Trackpoint", _): endPoint()
        case ("Lap", _): laps.append(lap)
        case ("Activity", _): try endActivity()
        default: break
        }
    }

    private mutating func endPoint() {
        sink.found("Trackpoint")
        guard let point = sample, point.at.milliseconds >= 0 else {
            sink.skip(.unreadableTime)
            return
        }
        guard samples.count < TrainingXML<Self>.mostSamples else {
            sink.skip("more points than a day has")
            return
        }
        samples.append(point)
        sample = nil
    }

    private mutating func endActivity() throws {
        sink.found("Activity")
        defer { samples = [] }
        samples.sort { $0.at < $1.at }
        guard let begin = start ?? samples.first?.at else {
            sink.skip(.unreadableTime)
            return
        }
        let timed = laps.compactMap(\.seconds).reduce(0, +)
        let end = max(samples.last?.at ?? begin, begin)
        let last = end > begin ? end : begin.adding(seconds: timed)
        guard sink.accepts(begin, last) else { return }
        let seconds = timed > 0 ? timed : last.seconds(since: begin)
        guard seconds > 0, seconds <= 14 * 86_400 else {
            sink.skip(.outOfRange)
            return
        }
        let hearts = samples.compactMap(\.bpm)
        let metres = laps.compactMap(\.metres)
        let kcal = laps.compactMap(\.kcal)
        try sink.emit(
            .workout(
                WorkoutRecord(
                    start: begin, end: last, sport: Sport(named: sport), movingSeconds: seconds,
                    distanceM: metres.isEmpty ? samples.last { $0.distanceM != nil }?.distanceM : metres.reduce(0, +),
                    energyKcal: kcal.isEmpty ? nil : kcal.reduce(0, +),
                    meanBpm: mean(of: hearts) ?? laps.first?.meanBpm,
                    maximumBpm: hearts.max() ?? laps.compactMap(\.maximumBpm).max(),
                    meanPowerW: mean(of: samples.compactMap(\.powerW)), title: sport.isEmpty ? nil : sport,
                    source: creator.isEmpty ? "TCX" : creator, samples: samples)))
    }
}
