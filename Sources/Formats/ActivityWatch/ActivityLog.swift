import Foundation

/// A stretch of time that one window was in front.
package struct WindowEvent: Hashable, Sendable {
    /// Seconds since 1970.
    package var start: Double
    /// Seconds, not negative.
    package var duration: Double
    package var app: String
    package var title: String

    package init(start: Double, duration: Double, app: String, title: String) {
        self.start = start
        self.duration = duration
        self.app = app
        self.title = title
    }

    package var end: Double { start + duration }
}

/// A stretch of time with or without key and pointer input.
package struct PresenceEvent: Hashable, Sendable {
    package var start: Double
    package var duration: Double
    package var away: Bool

    package init(start: Double, duration: Double, away: Bool) {
        self.start = start
        self.duration = duration
        self.away = away
    }

    package var end: Double { start + duration }
}

/// One local day of a log.
package struct ActivityDay: Hashable, Codable, Sendable {
    /// `2026-09-14`.
    package var day: String
    package var secondsPerApp: [String: Double]
    package var activeSeconds: Double
    package var afkSeconds: Double
}

/// What ActivityWatch saw, oldest first.
package struct ActivityLog: Hashable, Sendable {
    package var source: String
    package var windows: [WindowEvent]
    package var presence: [PresenceEvent]
    /// Events that say neither window nor presence: web pages, editors.
    package var otherEvents: Int

    package init(source: String, windows: [WindowEvent], presence: [PresenceEvent], otherEvents: Int = 0) {
        self.source = source
        self.windows = windows.sorted { $0.start < $1.start }
        self.presence = presence.sorted { $0.start < $1.start }
        self.otherEvents = otherEvents
    }

    /// End of the newest event, seconds since 1970.
    package var end: Double? {
        [windows.map(\.end).max(), presence.map(\.end).max()].compactMap { $0 }.max()
    }

    /// Start of the oldest event, seconds since 1970.
    package var start: Double? { [windows.first?.start, presence.first?.start].compactMap { $0 }.min() }

    /// Seconds per app, and with and without input, of each local day that has any.
    ///
    /// Presence that overlaps, as two watchers or a restart write it, counts once; input wins over its absence.
    package func days(in zone: TimeZone) -> [ActivityDay] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var days: [String: ActivityDay] = [:]
        func add(_ start: Double, _ end: Double, _ change: (inout ActivityDay, Double) -> Void) {
            var from = start
            while from < end {
                let date = Date(timeIntervalSince1970: from)
                let midnight = calendar.dateInterval(of: .day, for: date)?.end.timeIntervalSince1970 ?? end
                let parts = calendar.dateComponents([.year, .month, .day], from: date)
                let name =
                    "\(CivilTime.padded(parts.year ?? 0, 4))-\(CivilTime.padded(parts.month ?? 0))-\(CivilTime.padded(parts.day ?? 0))"
                let to = min(end, max(midnight, from + 1))
                change(
                    &days[
                        name, default: ActivityDay(day: name, secondsPerApp: [:], activeSeconds: 0, afkSeconds: 0)],
                    to - from)
                from = to
            }
        }
        for event in windows {
            add(event.start, event.end) { day, seconds in day.secondsPerApp[event.app, default: 0] += seconds }
        }
        let active = Self.merged(presence.filter { !$0.away })
        for span in active { add(span.start, span.end) { day, seconds in day.activeSeconds += seconds } }
        for span in Self.merged(presence.filter(\.away)) {
            for rest in Self.without(active, span) {
                add(rest.start, rest.end) { day, seconds in day.afkSeconds += seconds }
            }
        }
        return days.values.sorted { $0.day < $1.day }
    }

    private typealias Span = (start: Double, end: Double)

    /// The union of events that are sorted by start.
    private static func merged(_ events: [PresenceEvent]) -> [Span] {
        var spans: [Span] = []
        for event in events where event.duration > 0 {
            if let last = spans.last, event.start <= last.end {
                spans[spans.count - 1].end = max(last.end, event.end)
            } else {
                spans.append((event.start, event.end))
            }
        }
        return spans
    }

    /// What is left of a span outside of others that are sorted and apart.
    private static func without(_ others: [Span], _ span: Span) -> [Span] {
        var rest: [Span] = []
        var from = span.start
        for other in others where other.end > span.start && other.start < span.end {
            if other.start > from { rest.append((from, other.start)) }
            from = max(from, other.end)
        }
        if from < span.end { rest.append((from, span.end)) }
        return rest
    }
}
