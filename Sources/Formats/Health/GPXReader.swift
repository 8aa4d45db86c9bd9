import Foundation
import Physiology
import Protocols

/// GPS Exchange: a track is a workout; heart rate, cadence and power come in extensions of Garmin, Strava and others.
struct GPXReader: TrackReader {
    var sink: HealthSink
    private(set) var hasRoot = false
    private var creator = ""
    private var name = ""
    private var type = ""
    private var isInTrack = false
    private var samples: [WorkoutSample] = []
    private var sample: WorkoutSample?
    private var place: (latitude: Double, longitude: Double)?
    private var lastPlace: (latitude: Double, longitude: Double)?
    private var lastTime: Timestamp?
    private var distance = 0.0
    private var moving = 0.0
    private var ascent = 0.0
    private var lastAltitude: Double?
    /// Seconds between points above which the recording stood still.
    private static let longestStep = 30.0

    init(_ sink: HealthSink) { self.sink = sink }

    mutating func begin(_ name: String, _ tag: RawTag) throws {
        switch name {
        case "gpx":
            hasRoot = true
            creator = tag["creator"]?.text ?? ""
        case "trk":
            isInTrack = true
            (self.name, type, samples, distance, moving, ascent) = ("", "", [], 0, 0, 0)
            (lastPlace, lastTime, lastAltitude) = (nil, nil, nil)
        case "trkseg": (lastPlace, lastTime) = (nil, nil)
        case "trkpt":
            sample = WorkoutSample(at: Timestamp(milliseconds: -1))
            if let latitude = tag["lat"]?.number, let longitude = tag["lon"]?.number, abs(latitude) <= 90,
                abs(longitude) <= 180
            {
                place = (latitude, longitude)
            } else {
                place = nil
            }
        default: break
        }
    }

    mutating func end(_ name: String, text: String) throws {
        let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
        switch name {
        case "time": if let time = HealthTime.parse(text, defaultOffset: 0) { sample?.at = time.timestamp }
        case "ele": sample?.altitudeM = number
        case "hr", "heartrate": sample?.bpm = number.flatMap { (20...300).contains($0) ? $0 : nil }
        case "cad", "cadence": sample?.cadence = number
        case "power", "PowerInWatts": sample?.powerW = number
        case "speed": sample?.speedMps = number
        case "name": if isInTrack, sample == nil { self.name = text }
        case "type": if isInTrack, sample == nil { type = text }
        case "trkpt": endPoint()
        case "trk": try endTrack()
        default: break
        }
    }

    private mutating func endPoint() {
        sink.found("trkpt")
        defer { sample = nil }
        guard var point = sample, point.at.milliseconds >= 0 else {
            sink.skip(.unreadableTime)
            return
        }
        guard samples.count < TrainingXML<Self>.mostSamples else {
            sink.skip("more points than a day has")
            return
        }
        if let place {
            if let lastPlace { distance += Self.metres(lastPlace, place) }
            lastPlace = place
            point.distanceM = distance
        }
        if let lastTime {
            let step = point.at.seconds(since: lastTime)
            if step > 0, step <= Self.longestStep { moving += step }
        }
        lastTime = point.at
        if let altitude = point.altitudeM {
            if let lastAltitude, altitude > lastAltitude { ascent += altitude - lastAltitude }
            lastAltitude = altitude
        }
        samples.append(point)
    }

    private mutating func endTrack() throws {
        sink.found("trk")
        isInTrack = false
        defer { samples = [] }
        samples.sort { $0.at < $1.at }
        guard let first = samples.first, let last = samples.last, sink.accepts(first.at, last.at) else { return }
        guard moving > 0 else {
            sink.skip(.outOfRange)
            return
        }
        let sport = Sport(named: type)
        let hearts = samples.compactMap(\.bpm)
        try sink.emit(
            .workout(
                WorkoutRecord(
                    start: first.at, end: last.at, sport: sport == .other ? Sport(named: name) : sport,
                    movingSeconds: moving, distanceM: distance > 0 ? distance : nil, meanBpm: mean(of: hearts),
                    maximumBpm: hearts.max(), meanPowerW: mean(of: samples.compactMap(\.powerW)),
                    ascentM: lastAltitude == nil ? nil : ascent, title: name.isEmpty ? nil : name,
                    source: creator.isEmpty ? "GPX" : creator, samples: samples)))
    }

    /// Great-circle distance by the haversine formula on a sphere of 6,371,008.8 m (IUGG mean radius).
    private static func metres(
        _ a: (latitude: Double, longitude: Double), _ b: (latitude: Double, longitude: Double)
    ) -> Double {
        let radians = Double.pi / 180
        let (north, east) = ((b.latitude - a.latitude) * radians / 2, (b.longitude - a.longitude) * radians / 2)
        let h =
            sin(north) * sin(north) + cos(a.latitude * radians) * cos(b.latitude * radians) * sin(east) * sin(east)
        return 2 * 6_371_008.8 * asin(min(1, h.squareRoot()))
    }
}
