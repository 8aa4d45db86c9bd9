import Bus
import Dispatch
import Foundation
import GRDB
import Logging
import Physiology
import Protocols
import Store

/// Keeps everything that is measured of the body, knows what is usual for it, and says so on `body/baseline`.
package actor BodyKeeper: BusService {
    package nonisolated let subscriptions = [
        "bio/heart-rate", "bio/rr", "bio/motion", "bio/batch", "bio/workout", "input/mood", "context/desktop",
        "context/calendar",
    ]

    let store: BodyStore
    let clock: LocalClock
    let logger: Logger
    let reader: HealthReader
    let listener: String
    /// Imports take minutes; they have a thread of their own, and everything else is answered meanwhile.
    let imports = DispatchQueue(label: "body.imports", qos: .utility)
    var job: BodyImportJob?
    var importing: Task<Void, Never>?
    /// When days and nights were computed last by this process.
    var computedAt: Timestamp?
    var computationFailedAt: Timestamp?
    /// Samples or workouts came since.
    var hasLiveRecords = false
    /// The battery that was published last, and the day of which the morning message was told.
    var battery: BatteryReading?
    var morningToldOn: String?
    /// Stress as it goes on, nights, what was told of them.
    var live = LiveBody()
    private(set) var profile: Profile
    private(set) var baseline: Baseline?
    private var schedule = BaselineSchedule()
    private var hasNewSamples = false
    private var calendar: CalendarContext?

    init(
        store: BodyStore, clock: LocalClock, listener: String, logger: Logger,
        reader: @escaping HealthReader
    ) throws {
        self.store = store
        self.reader = reader
        self.clock = clock
        self.listener = listener
        self.logger = logger
        profile = try store.profile()
    }

    package func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .message(let message): try receive(message, bus: bus)
        case .request(let request): await answer(request, bus: bus)
        case .tick, .joined:
            try publishIfDue(bus: bus)
            try tickLive(bus: bus)
            await computeInPassing(bus: bus)
            // A restart has nothing to compute, and still owes the hub the battery.
            if case .joined = event { try publishBattery(bus: bus) }
            try tellMorning(bus: bus)
        case .lost: break
        }
    }

    /// - Throws: what the database complains of, so that an event comes again; what cannot be read is counted and
    ///   dropped, since it would not read better the next time.
    private func receive(_ message: Received, bus: any BusPort) throws {
        guard message.instance == listener else { return }
        guard !message.isTombstone else {
            if TopicSpec.family(of: message.topic) == Registry.calendar.spec.family { calendar = nil }
            return
        }
        do {
            if try takeLive(message, bus: bus) { return }
            if let batch = try message.decode(Registry.bioBatch) {
                try keep(batch, message)
                live.add(batch, now: bus.now)
            } else if let workout = try message.decode(Registry.workout) {
                let isNew = try store.once(message) { db in
                    try BodyStore.keep(workout, in: db)
                    if workout.phase == .ended { try ComputationMark.clear(in: db) }
                }
                hasLiveRecords = hasLiveRecords || isNew
                if live.isSound(workout.at, now: bus.now) { live.kept.stress.add(workout) }
            } else if let mood = try message.decode(Registry.mood) {
                guard (1...5).contains(mood.mood), (1...5).contains(mood.energy) else { return }
                _ = try store.once(message) { try BodyStore.keep(mood, in: $0) }
            } else if let desktop = try message.decode(Registry.desktop) {
                try store.keep(desktop, beside: calendar)
            } else if let calendar = try message.decode(Registry.calendar) {
                self.calendar = calendar
            }
        } catch let error as ReceivedError {
            // The reason may quote the body, so it stays out of the log.
            logger.warning("message cannot be read, dropped", metadata: ["topic": "\(message.topic)"])
            logger.debug("why", metadata: ["kind": "\(Self.kind(of: error))"])
            return
        }
        try publishIfDue(bus: bus)
    }

    private static func kind(of error: ReceivedError) -> String {
        switch error {
        case .newerMajor: "newer major version"
        case .tombstone: "tombstone"
        case .unreadable: "unreadable"
        }
    }

    private func keep(_ batch: BioBatch, _ message: Received) throws {
        let scale = baseline.map { HeartScale(baseline: $0) } ?? priorScale
        let isNew = try store.once(message) { try BodyStore.keep(batch, scale: scale, in: $0) }
        hasNewSamples = hasNewSamples || isNew
        hasLiveRecords = hasLiveRecords || isNew
    }

    var priorScale: HeartScale {
        let prior = BaselineBuilder(profile: profile, clock: clock)
            .baseline(at: Timestamp(milliseconds: 0), minutes: [])
        return HeartScale(baseline: prior)
    }

    // MARK: Baseline

    private func publishIfDue(bus: any BusPort) throws {
        guard schedule.isDue(at: bus.now, last: baseline, isNew: hasNewSamples, clock: clock) else { return }
        try publishBaseline(bus: bus)
    }

    func publishBaseline(bus: any BusPort) throws {
        let fresh = try computeBaseline(at: bus.now)
        bus.publish(fresh, on: Registry.baseline(listener))
        baseline = fresh
        hasNewSamples = false
        schedule.computed(at: bus.now, clock: clock)
    }

    func computeBaseline(at now: Timestamp) throws -> Baseline {
        let window = Double(BaselineBuilder.windowDays + 2) * 86_400
        return BaselineBuilder(profile: profile, clock: clock).baseline(
            at: now, minutes: try store.stillMinutes(since: now.adding(seconds: -window)),
            observedMaximum: try store.observedMaximum())
    }

    // MARK: Changes that requests make

    func set(_ name: String, to value: String?, bus: any BusPort) throws -> Profile {
        let changed = try ProfileRules.changed(profile, name, to: value)
        try store.setProfile(name, to: value?.trimmingCharacters(in: .whitespaces))
        try store.file.write { db in try ComputationMark.clear(in: db) }
        profile = changed
        try publishBaseline(bus: bus)
        return changed
    }

    package func finish(bus: any BusPort) async {
        // The batch that is being stored is finished or rolled back; the next start of the import goes on after it.
        await endImport()
        endMeasurement(Refusal(code: "unavailable", message: "body is stopping"))
        do { try store.file.close() } catch {
            logger.error("the database did not close", metadata: ["error": "\(error)"])
        }
    }

    /// Forgets everything, also what the hub keeps, and starts empty.
    func deleteAll(bus: any BusPort) async throws {
        await endImport()
        job = nil
        try store.file.wipe()
        profile = Profile()
        baseline = nil
        calendar = nil
        (computedAt, hasLiveRecords) = (nil, false)
        endMeasurement(Refusal(code: "unavailable", message: "everything about the body was deleted"))
        live = LiveBody()
        bus.withdraw(Registry.stress(listener))
        bus.withdraw(Registry.sleep(listener))
        bus.say(.idle, of: Registry.stress(listener))
        morningToldOn = nil
        bus.withdraw(Registry.baseline(listener))
        try publishBattery(bus: bus)
        try publishBaseline(bus: bus)
    }
}
