import Physiology
import Protocols

/// Takes what it can use out of the `export.xml` of an iPhone's Health app.
///
/// Dates are instants; the printed offset is that of the phone at the moment of the export, not of the place.
struct AppleHealthReader: TagHandler {
    var sink: HealthSink
    private(set) var hasRoot = false
    private(set) var isComplete = false
    private var times = HealthTimeReader()
    private var types = ByteInterner()
    private var typeRoles: [AppleType] = []
    private var typeCounts: [Int] = []
    private var sources = ByteInterner()
    private var units = ByteInterner()
    /// Factor of unit and type, NaN when unknown.
    private var factors: [Int: Double] = [:]
    private var lastFactor = (key: -1, value: 0.0)
    private var open = Pending.none
    private var correlations = 0
    private var activities = 0
    private let onPause: (Int, Int) throws -> Void

    /// A record whose children are still to come.
    private enum Pending {
        case none
        case sleep(SleepSegment)
        case variability(VariabilityRecord, HealthTime, AppleBeats)
        case workout(AppleWorkout)
    }

    /// - Parameter onPause: told bytes and records so far, about once a buffer.
    init(sink: HealthSink, onPause: @escaping (Int, Int) throws -> Void) {
        self.sink = sink
        self.onPause = onPause
    }

    mutating func pause(at byte: Int) throws { try onPause(byte, sink.count) }

    // MARK: - Tags

    mutating func open(_ tag: RawTag) throws {
        switch tag.name.count {
        case 6 where tag.name == "Record": try record(tag)
        case 13 where tag.name == "MetadataEntry": metadata(tag)
        case 27 where tag.name == "InstantaneousBeatsPerMinute": beat(tag)
        case 7 where tag.name == "Workout": try workout(tag)
        case 17 where tag.name == "WorkoutStatistics":
            if activities == 0 { statistics(tag) }
        case 12 where tag.name == "WorkoutEvent":
            if case .workout(var workout) = open, activities == 0 {
                workout.event(tag["type"], at: tag["date"].flatMap { times.read($0) }?.timestamp)
                open = .workout(workout)
            }
        case 15 where tag.name == "WorkoutActivity": if !tag.isEmpty { activities += 1 }
        case 11 where tag.name == "Correlation":
            sink.found("Correlation")
            if !tag.isEmpty { correlations += 1 }
        case 2 where tag.name == "Me": try person(tag)
        case 10 where tag.name == "HealthData": hasRoot = true
        default: other(tag)
        }
    }

    mutating func close(_ name: RawText) throws {
        if name == "Record" || name == "Workout" {
            try finish()
        } else if name == "WorkoutActivity" {
            activities = max(0, activities - 1)
        } else if name == "Correlation" {
            correlations = max(0, correlations - 1)
        } else if name == "HealthData" {
            try finish()
            isComplete = true
        }
    }

    /// Whole elements that are left out, with the reason.
    private static let leftOut: [(StaticString, String)] = [
        ("ActivitySummary", "activity rings of a day"), ("ClinicalRecord", "clinical record"),
        ("Audiogram", "audiogram"), ("VisionPrescription", "vision prescription"),
        ("WorkoutRoute", "route of a workout"),
    ]

    private mutating func other(_ tag: RawTag) {
        for (name, reason) in Self.leftOut where tag.name == name {
            sink.found(name.description)
            sink.skip("\(reason): not used")
        }
    }

    /// Hands on what waited for its children. A record that is followed by the next one without an end is whole as well.
    private mutating func finish() throws {
        defer { open = .none }
        switch open {
        case .none: break
        case .sleep(let segment): try sink.emit(.sleep(segment))
        case .variability(var record, let start, let beats):
            if !beats.isEmpty {
                let times = beats.times(since: start, duration: record.end.seconds(since: record.start))
                record.rebuiltSdnnMs = beats.sdnnMs
                if let times { record.rebuiltRmssdMs = beats.rmssd(of: times).rmssdMs }
                record.beats = beats.beats(at: times, since: record.start)
            }
            sink.skip("beat without a possible heart rate", beats.refused)
            try sink.emit(.variability(record))
        case .workout(let workout):
            if let record = workout.record { try sink.emit(.workout(record)) } else { sink.skip(.outOfRange) }
        }
    }

    /// What is still open at the end of a file that was cut off is not taken; call after the scan.
    mutating func end() -> HealthTally {
        if case .none = open {} else { sink.skip("cut off") }
        for (index, count) in typeCounts.enumerated() {
            sink.found(types.words[index], count)
            if case .unused = typeRoles[index] {
                sink.skip("\(types.words[index]): not used", count)
            }
        }
        return sink.summary
    }

    // MARK: - Records

    private mutating func record(_ tag: RawTag) throws {
        if case .none = open {} else { try finish() }
        guard correlations == 0 else {
            sink.skip(.insideCorrelation)
            return
        }
        var type: RawText?
        var (source, device, unit, value): (RawText?, RawText?, RawText?, RawText?)
        var (startText, endText, creationText): (RawText?, RawText?, RawText?)
        for attribute in tag.attributes {
            let name = attribute.name
            switch name.count {
            case 4 where name == "type": if type == nil { type = attribute.value }
            case 4 where name == "unit": if unit == nil { unit = attribute.value }
            case 5 where name == "value": if value == nil { value = attribute.value }
            case 6 where name == "device": if device == nil { device = attribute.value }
            case 7 where name == "endDate": if endText == nil { endText = attribute.value }
            case 9 where name == "startDate": if startText == nil { startText = attribute.value }
            case 10 where name == "sourceName": if source == nil { source = attribute.value }
            case 12 where name == "creationDate": if creationText == nil { creationText = attribute.value }
            default: break
            }
        }
        guard let type, let index = types.index(of: type) else {
            sink.skip("record without a type")
            return
        }
        if index == typeRoles.count {
            typeRoles.append(AppleType(types.words[index]))
            typeCounts.append(0)
        }
        typeCounts[index] += 1
        let role = typeRoles[index]
        if case .unused = role { return }
        guard let startText, let start = times.read(startText), start.milliseconds >= 0 else {
            sink.skip(.unreadableTime)
            return
        }
        let end = endText.flatMap { times.read($0) } ?? start
        guard sink.accepts(start.timestamp, end.timestamp) else { return }
        guard let value else {
            sink.skip(.missingValue)
            return
        }
        let name = source.flatMap { sources.index(of: $0) }.map { sources.words[$0] } ?? ""
        switch role {
        case .heartRate:
            guard let bpm = number(value, unit, .rate, index, in: 20...300) else { return }
            try sink.emit(.heartRate(HeartRateRecord(at: start.timestamp, bpm: bpm, source: name)))
        case .restingHeartRate:
            guard let bpm = number(value, unit, .rate, index, in: 20...200) else { return }
            let created = creationText.flatMap { times.read($0) } ?? end
            try sink.emit(
                .restingHeartRate(
                    RestingRecord(at: start.timestamp, createdAt: created.timestamp, bpm: bpm, source: name)))
        case .quantity(let kind, let dimension, let range):
            guard let amount = number(value, unit, dimension, index, in: range) else { return }
            try sink.emit(
                .quantity(
                    QuantityRecord(
                        kind: kind, start: start.timestamp, end: end.timestamp, value: amount, source: name)))
        case .variability:
            guard let sdnn = number(value, unit, .milliseconds, index, in: 0...2000) else { return }
            let record = VariabilityRecord(
                start: start.timestamp, end: end.timestamp, sdnnMs: sdnn, source: name)
            open = .variability(record, start, AppleBeats())
            if tag.isEmpty { try finish() }
        case .sleep:
            guard let stage = AppleType.stage(value) else {
                sink.skip("unknown stage of sleep")
                return
            }
            let isWatch = device.map { $0.contains("Watch") } ?? name.contains("Watch")
            open = .sleep(
                SleepSegment(
                    start: start.timestamp, end: end.timestamp, stage: stage, source: name, isWatch: isWatch))
            if tag.isEmpty { try finish() }
        case .unused: break
        }
    }

    /// A value in the unit of its dimension, or nil after counting why not.
    private mutating func number(
        _ text: RawText, _ unit: RawText?, _ dimension: HealthDimension, _ type: Int, in range: ClosedRange<Double>
    ) -> Double? {
        guard let unit, let unitIndex = units.index(of: unit) else {
            sink.skip("no unit")
            return nil
        }
        let key = type << 16 | unitIndex
        if lastFactor.key != key {
            let known = factors[key] ?? dimension.factor(units.words[unitIndex]) ?? .nan
            factors[key] = known
            lastFactor = (key, known)
        }
        guard !lastFactor.value.isNaN else {
            sink.skip("unknown unit of \(types.words[type])")
            return nil
        }
        return sink.value(text.number.map { $0 * lastFactor.value }, in: range)
    }

    private mutating func beat(_ tag: RawTag) {
        guard case .variability(let record, let start, var beats) = open else { return }
        guard let bpm = tag["bpm"]?.number else {
            sink.skip("beat without a heart rate")
            return
        }
        // So that the list is not copied for every beat.
        open = .none
        beats.add(bpm: bpm, secondsOfHour: tag["time"].flatMap(HealthTime.secondsOfHour))
        open = .variability(record, start, beats)
    }

    private mutating func metadata(_ tag: RawTag) {
        guard let key = tag["key"], let value = tag["value"] else { return }
        switch open {
        case .sleep(var segment) where key == "HKTimeZone":
            segment.timeZone = value.text
            open = .sleep(segment)
        case .workout(var workout) where activities == 0:
            workout.metadata(key, value)
            open = .workout(workout)
        default: break
        }
    }

    // MARK: - Workouts and the person

    private mutating func workout(_ tag: RawTag) throws {
        if case .none = open {} else { try finish() }
        activities = 0
        sink.found("Workout")
        guard let startText = tag["startDate"], let start = times.read(startText), start.milliseconds >= 0 else {
            sink.skip(.unreadableTime)
            return
        }
        let end = tag["endDate"].flatMap { times.read($0) } ?? start
        guard sink.accepts(start.timestamp, end.timestamp) else { return }
        let source = tag["sourceName"].flatMap { sources.index(of: $0) }.map { sources.words[$0] } ?? ""
        open = .workout(AppleWorkout(tag, start: start.timestamp, end: end.timestamp, source: source))
        if tag.isEmpty { try finish() }
    }

    private mutating func statistics(_ tag: RawTag) {
        guard case .workout(var workout) = open else { return }
        if !workout.statistics(tag) { sink.skip("statistics of a workout: not used") }
        open = .workout(workout)
    }

    private mutating func person(_ tag: RawTag) throws {
        let birth = tag["HKCharacteristicTypeIdentifierDateOfBirth"]?.text
        let sex: String? =
            switch tag["HKCharacteristicTypeIdentifierBiologicalSex"]?.text {
            case "HKBiologicalSexFemale": "female"
            case "HKBiologicalSexMale": "male"
            case "HKBiologicalSexOther": "other"
            default: nil
            }
        let date = birth.flatMap { $0.wholeMatch(of: /\d{4}-\d\d-\d\d/) == nil ? nil : $0 }
        if date != nil || sex != nil { try sink.emit(.person(PersonRecord(birthDate: date, sex: sex))) }
    }
}
