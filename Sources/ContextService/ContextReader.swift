import Bus
import Formats
import Foundation
import Logging
import Protocols

/// Reads focus, desk and calendar from files and says what they mean.
///
/// Everything is evaluated at the time of the bus, so a recording works in virtual time as a live file does in ours.
package actor ContextReader: BusService {
    package nonisolated let subscriptions: [String] = []
    package nonisolated let tick = Duration.seconds(1)

    /// Desktop context is repeated at least this often, seconds.
    static let repeatSeconds = 30.0
    /// The calendar is repeated at least this often, seconds: well before the hub lets go of it, however quiet the day.
    static let calendarRepeatSeconds = 900.0
    /// Half-lives of what could not be read anew, seconds.
    static let desktopHalfLife = 120.0
    static let calendarHalfLife = 1800.0
    /// A log that has been silent for longer says nothing about now, seconds.
    static let silentSeconds = 600.0

    private let listener: String
    private let timeZone: TimeZone
    private let logger: Logger
    private let sources: ContextSources
    private let work: WorkStateRules
    private var focus: WatchedFile<FocusFile>?
    private var activity: WatchedFile<ActivityLog>?
    private var rules: WatchedFile<CategoryRules>?
    private var calendars: WatchedFile<[CalendarFile]>?
    private let api: ActivityWatchAPI?
    private var answered: ActivityLog?
    private var apiStatus: ContextSource?
    private var digest: CalendarDigest?
    private var digestedAt: Timestamp?
    private var lastDesktop: DesktopContext?
    private var lastCalendar: CalendarContext?

    package init(sources: ContextSources, listener: String, timeZone: TimeZone, logger: Logger) {
        self.sources = sources
        self.listener = listener
        self.timeZone = timeZone
        self.logger = logger
        work = WorkStateRules(
            workFocusNames: WorkStateRules.defaultFocusNames + sources.workFocusNames.map { $0.lowercased() })
        api = sources.activityWatchAPI.map {
            ActivityWatchAPI(base: $0, isOptional: sources.isActivityWatchAPIOptional)
        }
        focus = sources.focus.map { WatchedFile(name: "focus", path: $0) { try FocusFile.read(path: $0) } }
        activity = sources.activityWatch.map {
            WatchedFile(name: "activitywatch", path: $0) { try ActivityWatchReader.read(path: $0) }
        }
        rules = sources.rules.map { WatchedFile(name: "rules", path: $0) { try CategoryRules.read(path: $0) } }
        calendars = sources.calendar.map {
            WatchedFile(name: "calendar", path: $0, signature: calendarSignature) { path in
                try calendarFiles(path).map { try CalendarFile.read(path: $0) }
            }
        }
    }

    package func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .tick: await look(bus)
        case .joined:
            lastDesktop = nil
            lastCalendar = nil
            await look(bus)
        case .request(let request): answer(request, bus: bus)
        case .message, .lost: break
        }
    }

    // MARK: - Looking

    private func look(_ bus: any BusPort) async {
        let now = bus.now
        refresh(&focus, now)
        refresh(&activity, now)
        refresh(&rules, now)
        let hasNewCalendars = refresh(&calendars, now)
        if let api {
            await api.refresh(now: now)
            answered = await api.log
            apiStatus = await api.status(now: now)
        }
        let recorded = calendarTime(now)
        if hasNewCalendars || digestIsOld(recorded) { digestCalendars(recorded) }
        let calendar = calendarContext(now)
        publish(calendar, now, bus)
        publish(desktopContext(now, ongoing: calendar?.ongoing?.type.value), now, bus)
    }

    @discardableResult
    private func refresh<Value>(_ file: inout WatchedFile<Value>?, _ now: Timestamp) -> Bool {
        guard file?.refresh(now: now) == true else { return false }
        if let file {
            if let error = file.error {
                logger.warning(
                    "a source cannot be read",
                    metadata: ["source": "\(file.name)", "error": "\(error.withoutQuotations)"])
            } else {
                logger.info("source read", metadata: ["source": "\(file.name)"])
            }
        }
        return true
    }

    private func digestIsOld(_ now: Timestamp) -> Bool {
        guard calendars?.value != nil else { return false }
        return digestedAt.map { abs(now.seconds(since: $0)) >= 3600 } ?? true
    }

    private func digestCalendars(_ now: Timestamp) {
        guard let files = calendars?.value else { return }
        let window = CalendarWindow.instants(
            from: now.adding(seconds: -86_400).date, to: now.adding(seconds: 2 * 86_400).date)
        digest = CalendarDigest(
            files.flatMap { $0.occurrences(in: window, local: timeZone).occurrences }, local: timeZone,
            owner: sources.addresses)
        digestedAt = now
    }

    // MARK: - Meaning

    private func desktopContext(_ now: Timestamp, ongoing: EventType?) -> DesktopContext? {
        guard focus != nil || activity != nil || api != nil else { return nil }
        let log = answered ?? activity?.value
        let time = recordingTime(now, log)
        var desk = log.flatMap { DesktopDigest($0, at: time, rules: rules?.value ?? .builtIn) }
        if let age = desk?.ageSeconds, age > Self.silentSeconds { desk = nil }
        let state = focus?.value?.state(at: time)

        // A source that is broken, or silent, fades; a source that was never configured does not count.
        let ages = [focus?.staleSeconds(now: now), activity?.staleSeconds(now: now), desk.map(\.ageSeconds)]
            .compactMap { $0 }
        let age = ages.max() ?? 0
        let known = desk != nil || state != nil
        let confidence = known ? pow(0.5, max(0, age - 10) / Self.desktopHalfLife) : 0
        return DesktopContext(
            at: now, focusActive: state?.active, focusName: state?.active == true ? state?.name : nil, app: desk?.app,
            appCategory: desk?.category?.rawValue, productivityMinutes: desk.map { round1($0.productivityMinutes) },
            entertainmentMinutes: desk.map { round1($0.entertainmentMinutes) },
            socialMinutes: desk.map { round1($0.socialMinutes) }, idleSeconds: desk?.idleSeconds,
            workState: work.workState(focus: state, desk: desk, ongoing: ongoing), confidence: confidence,
            sources: [SourceAge(name: "desktopContext", ageSeconds: age, confidence: confidence)])
    }

    private func calendarContext(_ now: Timestamp) -> CalendarContext? {
        guard let digest, let calendars else { return nil }
        let age = calendars.staleSeconds(now: now)
        let confidence = pow(0.5, age / Self.calendarHalfLife)
        let recorded = calendarTime(now)
        var context = digest.context(
            at: recorded, allowTitles: sources.allowTitles, confidence: confidence,
            sources: [SourceAge(name: "calendarContext", ageSeconds: age, confidence: confidence)])
        context.at = now
        if let end = context.ongoing?.endsAt {
            context.ongoing?.endsAt = end.adding(seconds: now.seconds(since: recorded))
        }
        return context
    }

    /// The moment at which the calendar is read. A re-dated recording takes its calendar along; a day that is repeated
    /// does not, since a calendar repeats by its own rules.
    private func calendarTime(_ now: Timestamp) -> Timestamp {
        guard case .startsAt = sources.recording else { return now }
        return Timestamp(milliseconds: Int64((recordingTime(now, answered ?? activity?.value) * 1000).rounded()))
    }

    private func round1(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    /// The moment of the recording that stands for `now`, seconds since 1970.
    private func recordingTime(_ now: Timestamp, _ log: ActivityLog?) -> Double {
        let seconds = Double(now.milliseconds) / 1000
        switch sources.recording {
        case .same: return seconds
        case .startsAt(let start):
            guard let first = recordingStart(log) else { return seconds }
            return first + seconds - start.timeIntervalSince1970
        case .everyDay:
            guard let first = recordingStart(log) else { return seconds }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = timeZone
            let midnight = calendar.startOfDay(for: now.date)
            // The recording's UTC clock is read as the listener's own, so that 09:00 is 09:00 everywhere.
            return (first / 86_400).rounded(.down) * 86_400 + now.date.timeIntervalSince(midnight)
        }
    }

    private func recordingStart(_ log: ActivityLog?) -> Double? {
        var first = log?.start
        if case .timeline(let changes)? = focus?.value, let change = changes.first {
            first = min(first ?? .infinity, change.at)
        }
        return first
    }

    // MARK: - Saying

    private func publish(_ context: DesktopContext?, _ now: Timestamp, _ bus: any BusPort) {
        guard let context else { return }
        if let last = lastDesktop, now.seconds(since: last.at) < Self.repeatSeconds,
            Self.meaning(last) == Self.meaning(context)
        {
            return
        }
        lastDesktop = context
        bus.publish(context, on: Registry.desktop(listener))
    }

    private func publish(_ context: CalendarContext?, _ now: Timestamp, _ bus: any BusPort) {
        guard let context else { return }
        if let last = lastCalendar, now.seconds(since: last.at) < Self.calendarRepeatSeconds,
            Self.meaning(last) == Self.meaning(context)
        {
            return
        }
        lastCalendar = context
        bus.publish(context, on: Registry.calendar(listener))
    }

    /// A context without what changes all the time.
    private static func meaning(_ context: DesktopContext) -> DesktopContext {
        var bare = context
        bare.at = Timestamp(milliseconds: 0)
        bare.idleSeconds = nil
        bare.productivityMinutes = nil
        bare.entertainmentMinutes = nil
        bare.socialMinutes = nil
        bare.sources = []
        bare.confidence = (context.confidence * 10).rounded() / 10
        return bare
    }

    private static func meaning(_ context: CalendarContext) -> CalendarContext {
        var bare = context
        bare.at = Timestamp(milliseconds: 0)
        bare.sources = []
        bare.confidence = (context.confidence * 10).rounded() / 10
        return bare
    }

    private func answer(_ request: IncomingRequest, bus: any BusPort) {
        do throws(Refusal) {
            if try request.decode(ContextStatus.self) != nil {
                let now = bus.now
                let all = [
                    focus?.status(now: now), activity?.status(now: now), apiStatus,
                    calendars?.status(now: now), rules?.status(now: now),
                ]
                request.reply(
                    ContextStatusReply(sources: all.compactMap { $0 }, desktop: lastDesktop, calendar: lastCalendar))
            } else if request.name == ExportData.name {
                // Nothing is kept here; the export says so with an empty file.
                let query = try request.decodeBody(ExportData.self)
                guard
                    FileManager.default.createFile(
                        atPath: query.path, contents: Data(), attributes: [.posixPermissions: 0o600])
                else { throw Refusal(code: "invalid", message: "\(query.path) cannot be written") }
                request.reply(Exported(path: query.path, rows: 0))
            } else if request.name == DeleteData.name {
                let query = try request.decodeBody(DeleteData.self)
                guard query.confirmation == DeleteData.phrase else {
                    throw Refusal(code: "invalid", message: "confirm with '\(DeleteData.phrase)'")
                }
                bus.withdraw(Registry.desktop(listener))
                bus.withdraw(Registry.calendar(listener))
                lastDesktop = nil
                lastCalendar = nil
                request.reply(Done(note: "the context agent keeps nothing"))
            } else {
                throw Refusal(
                    code: "unknown-request", message: "the context agent does not know '\(request.name)'")
            }
        } catch {
            request.refuse(error)
        }
    }
}
