import Formats
import Foundation
import Protocols

/// What the activity log says about one moment.
struct DesktopDigest: Equatable, Sendable {
    /// App in front; nil when nobody is there or nothing is known.
    var app: String?
    var category: AppCategory?
    /// Minutes of the last hour with input, by what the app is for.
    var productivityMinutes: Double
    var entertainmentMinutes: Double
    var socialMinutes: Double
    /// Seconds without input; nil when the log does not say.
    var idleSeconds: Double?
    /// Minutes of the last half hour in productive apps.
    var productiveOfHalfHour: Double
    /// Changes of the app per 5 min, over the last half hour.
    var switchesPerFiveMinutes: Double
    /// Seconds since the log last said anything.
    var ageSeconds: Double

    static let productive: Set<AppCategory> = [.productivity, .creative]

    /// - Parameters:
    ///   - log: events sorted by start.
    ///   - time: seconds since 1970, on the clock of the log.
    init?(_ log: ActivityLog, at time: Double, rules: CategoryRules) {
        guard let logStart = log.start, logStart <= time else { return nil }
        let known = (log.windows.last { $0.start <= time }?.end, log.presence.last { $0.start <= time }?.end)
        let newest = max(known.0 ?? -.infinity, known.1 ?? -.infinity)
        ageSeconds = max(0, time - newest)

        let presence = log.presence.last { $0.start <= time }
        let away = presence.map { $0.away && time < $0.end + Self.slack } ?? false
        idleSeconds = presence.map { now in
            if now.away { return time - now.start }
            return max(0, time - now.end)
        }
        let front = log.windows.last { $0.start <= time && time < $0.end + Self.slack }
        app = away ? nil : front?.app
        category = away ? nil : front.map { rules.category(app: $0.app, title: $0.title) }

        let hour = Self.slices(of: log, from: time - 3600, to: time, rules: rules)
        func minutes(_ wanted: Set<AppCategory>, since start: Double = 0) -> Double {
            hour.filter { wanted.contains($0.category) }
                .reduce(0) { $0 + max(0, $1.end - max($1.start, start)) } / 60
        }
        productivityMinutes = minutes(Self.productive)
        entertainmentMinutes = minutes([.entertainment])
        socialMinutes = minutes([.social])
        productiveOfHalfHour = minutes(Self.productive, since: time - 1800)
        let recent = hour.filter { $0.end > time - 1800 }
        let switches = zip(recent, recent.dropFirst()).count { $0.app != $1.app }
        switchesPerFiveMinutes = Double(switches) / 6
    }

    /// Watchers write once in a few seconds: a window counts as in front for this long after its last word.
    private static let slack = 10.0

    private struct Slice {
        var start: Double
        var end: Double
        var app: String
        var category: AppCategory
    }

    /// The windows between two times, without the stretches that nobody was there.
    private static func slices(
        of log: ActivityLog, from: Double, to: Double, rules: CategoryRules
    ) -> [Slice] {
        // Long-running windows may begin before; the reader bounds their length to a week.
        let first = log.windows.partitioningIndex { $0.end > from && $0.start > from - 86_400 }
        let absences = log.presence.filter { $0.away && $0.end > from && $0.start < to }
        var slices: [Slice] = []
        for window in log.windows[first...] {
            if window.start >= to { break }
            var start = max(window.start, from)
            let end = min(window.end, to)
            let category = rules.category(app: window.app, title: window.title)
            for absence in absences where absence.end > start && absence.start < end {
                if absence.start > start {
                    slices.append(Slice(start: start, end: absence.start, app: window.app, category: category))
                }
                start = max(start, absence.end)
            }
            if end > start { slices.append(Slice(start: start, end: end, app: window.app, category: category)) }
        }
        return slices
    }
}
