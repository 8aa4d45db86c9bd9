import Bus
import Formats
import Foundation
import GRDB
import Logging
import Physiology
import Protocols
import Store

/// Battery, load and workouts: what is said on the bus, and answers about any day.
extension BodyKeeper {
    private static let largestLoadDays = 3000
    private static let largestBatteryDays = 400
    /// Bytes of a FIT file in one message; base64 and the frame around it stay below a megabyte.
    private static let pieceBytes = 512 * 1024

    /// - Returns: false when the request is another one.
    func answerBattery(_ request: IncomingRequest, bus: any BusPort) async throws -> Bool {
        if let query = try request.decode(GetBattery.self) {
            try await computeIfStale(bus: bus)
            request.reply(try battery(query, at: bus.now))
        } else if let query = try request.decode(GetLoad.self) {
            try await computeIfStale(bus: bus)
            request.reply(try load(query, at: bus.now))
        } else if let query = try request.decode(GetWorkoutFile.self) {
            request.reply(try workoutFile(query))
        } else {
            return false
        }
        return true
    }

    private func battery(_ query: GetBattery, at now: Timestamp) throws -> BatteryHistory {
        guard (1...Self.largestBatteryDays).contains(query.days) else {
            throw Refusal(code: "invalid", message: "days must be 1…\(Self.largestBatteryDays)")
        }
        let (days, settings) = try store.file.read { db in
            (
                try BodyStore.figures(
                    .day, as: DaySummary.self, from: 0, through: clock.day(of: now), limit: query.days, in: db),
                try BodySettings(stored: SettingTable.all(in: db))
            )
        }
        let known = days.filter { $0.battery != nil }
        return BatteryHistory(
            latest: known.last?.reading(at: now, convention: settings.days(sex: nil).convention),
            days: known.map { day in
                BatteryHistory.Day(
                    date: day.date, battery: Int((day.battery ?? 0).rounded()), zone: day.zone ?? "",
                    illness: day.illness ?? IllnessSign.none.rawValue, confidence: day.confidence ?? 0)
            })
    }

    /// From the stored loads of the days, so that a convention can be looked at without being set.
    private func load(_ query: GetLoad, at now: Timestamp) throws -> LoadReport {
        guard (1...Self.largestLoadDays).contains(query.days) else {
            throw Refusal(code: "invalid", message: "days must be 1…\(Self.largestLoadDays)")
        }
        let (days, settings) = try store.file.read { db in
            (
                try BodyStore.figures(
                    .day, as: DaySummary.self, from: 0, through: clock.day(of: now), in: db),
                try BodySettings(stored: SettingTable.all(in: db))
            )
        }
        var wanted = settings.days(sex: nil)
        if let name = query.convention {
            guard let convention = FitnessConvention(rawValue: name) else {
                let names = FitnessConvention.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal(
                    code: "invalid", message: "there is no convention “\(name.prefix(40))”; there are \(names)")
            }
            wanted.convention = convention
        }
        let isOwn = if case .own = wanted.start { true } else { false }
        let told = days.filter { $0.load != nil }
        // Fitness begins with the first workout; days before it are unknown, not rest.
        let series = isOwn ? told[...] : told.drop { $0.workouts == 0 }
        guard let first = series.first.flatMap({ LocalDate($0.date)?.number }) else {
            return LoadReport(
                convention: wanted.convention.rawValue, formOfTheMorning: wanted.convention.formIsOfTheMorning,
                calibratingDays: FitnessModel.calibrationDays, days: [])
        }
        let figures = FitnessModel(convention: wanted.convention, start: wanted.start)
            .days(series.map { $0.load ?? 0 }, firstDay: first)
        return LoadReport(
            convention: wanted.convention.rawValue, formOfTheMorning: wanted.convention.formIsOfTheMorning,
            calibratingDays: told.last?.calibratingDays,
            days: figures.suffix(query.days).map { day in
                LoadReport.Day(
                    date: "\(LocalDate(number: day.day))", load: day.load, fitness: day.fitness, fatigue: day.fatigue,
                    form: day.form, rampPerWeek: day.rampPerWeek)
            })
    }

    private func workoutFile(_ query: GetWorkoutFile) throws -> WorkoutFile {
        let key = EssenceTable.Key(query.startAt, query.source, query.sport)
        guard let workout = try store.file.read({ db in try WorkoutTable.workout(key, in: db) }) else {
            throw Refusal(code: "not-found", message: "there is no such workout; see `resonance body workouts`")
        }
        let bytes: [UInt8]
        do {
            bytes = try FITWriter.bytes(of: workout)
        } catch {
            throw Refusal(code: "invalid", message: "\(error)")
        }
        guard (0..<bytes.count).contains(query.offset) else {
            throw Refusal(code: "invalid", message: "offset must be 0…\(bytes.count - 1)")
        }
        let piece = bytes[query.offset..<min(bytes.count, query.offset + Self.pieceBytes)]
        return WorkoutFile(bytes: bytes.count, base64: Data(piece).base64EncodedString())
    }

    // MARK: On the bus

    /// Says today's battery where it changed; a day without one says nothing.
    ///
    /// - Throws: ``StoreError``.
    func publishBattery(bus: any BusPort) throws {
        let today = clock.day(of: bus.now)
        let (day, settings) = try store.file.read { db in
            (
                try BodyStore.figures(.day, as: DaySummary.self, from: today, through: today, in: db).first,
                try BodySettings(stored: SettingTable.all(in: db))
            )
        }
        guard let reading = day?.reading(at: bus.now, convention: settings.days(sex: nil).convention) else {
            if battery != nil { bus.withdraw(Registry.battery(listener)) }
            battery = nil
            return
        }
        var before = battery
        before?.at = reading.at
        guard reading != before else { return }
        bus.publish(reading, on: Registry.battery(listener))
        battery = reading
    }

    /// The morning message, once a day, and a word on unusual nights beside it.
    ///
    /// A machine that slept through the morning says nothing later; what was told is remembered over a restart.
    func tellMorning(bus: any BusPort) throws {
        guard let battery, battery.day == "\(LocalDate(number: clock.day(of: bus.now)))" else { return }
        guard morningToldOn != battery.day else { return }
        let minute = clock.minuteOfDay(of: bus.now)
        let settings = try store.file.read { db in try BodySettings(stored: SettingTable.all(in: db)) }
        guard settings.alerts, settings.morningMessage, minute >= settings.morningAt,
            minute <= settings.morningAt + BodySchedule.grace
        else { return }
        let isNew = try store.file.write { db in
            let told = try SettingTable.all(in: db)[Self.toldName]
            try SettingTable.set(Self.toldName, to: battery.day, in: db)
            return told != battery.day
        }
        morningToldOn = battery.day
        guard isNew else { return }
        for alert in Self.morning(battery, at: bus.now) { bus.publish(alert, on: Registry.alert(listener)) }
    }

    private static let toldName = "morningToldOn"

    static func morning(_ reading: BatteryReading, at now: Timestamp) -> [BodyAlert] {
        let message = MorningMessage(reading)
        var alerts = [
            BodyAlert(
                at: now, kind: .battery, title: message.title, text: message.text,
                detail: reading.reasons.joined(separator: " "))
        ]
        if let sign = reading.illness.value, sign != .none {
            alerts.append(
                BodyAlert(
                    at: now, kind: .illness,
                    title: sign == .likely ? "Two unusual nights" : "An unusual night",
                    text: reading.guidance, detail: reading.reasons.first))
        }
        return alerts
    }
}
