import Decisions
import Foundation
import Protocols
import Testing

/// Three recorded days: motion and workouts from the files, focus and calendar as `make_days.py` wrote them.
struct RecordedDaysTests {
    private struct Window {
        let from: Timestamp
        let to: Timestamp
        let context: String
    }

    /// Reads `2016-05-10T06:55:00Z`, with or without milliseconds. All of the recording lies in May 2016, so the days
    /// count from 2016-05-10T00:00:00Z, which is 1 462 838 400 s; the 27,000 rows need no calendar.
    private static func moment(_ text: Substring) -> Timestamp? {
        guard text.hasPrefix("2016-05-"), text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split { "-T:.".contains($0) }.map { Int($0) }
        guard parts.count >= 6, let day = parts[2], let hour = parts[3], let minute = parts[4], let second = parts[5]
        else { return nil }
        let seconds = 1_462_838_400 + (day - 10) * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(milliseconds: Int64(seconds) * 1000)
    }

    private static func rows(_ name: String) throws -> [[Substring]] {
        let file = try #require(sharedData).appending(path: "days/" + name)
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    }

    private struct FocusLine: Decodable {
        let at: String
        let active: Bool
        let name: String?
    }

    /// What the calendar file holds for the three days: start, end, kind. Transparent and cancelled events are none.
    private static let events: [(String, String, EventType)] = [
        ("2016-05-10T09:30:00Z", "2016-05-10T10:00:00Z", .meeting),
        ("2016-05-10T14:00:00Z", "2016-05-10T15:30:00Z", .meeting),
        ("2016-05-10T19:30:00Z", "2016-05-10T21:00:00Z", .personal),
        ("2016-05-11T09:30:00Z", "2016-05-11T10:00:00Z", .meeting),
        ("2016-05-11T11:00:00Z", "2016-05-11T12:00:00Z", .meeting),
        ("2016-05-12T09:30:00Z", "2016-05-12T10:00:00Z", .meeting),
        ("2016-05-12T10:00:00Z", "2016-05-12T11:00:00Z", .meeting),
    ]

    @Test(.enabled(if: sharedData != nil, needsSharedData))
    func `the context is right in 95 percent of every window of the recorded days`() throws {
        let windows = try Self.rows("expected.csv").map {
            Window(
                from: try #require(Self.moment($0[0])), to: try #require(Self.moment($0[1])), context: String($0[2]))
        }
        let motions = try Self.rows("motion.csv").map {
            Motion(
                at: try #require(Self.moment($0[0])), intensity: try #require(Double($0[2])),
                steps: try #require(Int($0[3])), activity: MotionActivity(rawValue: String($0[1])) ?? .unknown)
        }
        var workouts: [Workout] = []
        for row in try Self.rows("workouts.csv") {
            workouts.append(Workout(phase: .started, sport: String(row[2]), at: try #require(Self.moment(row[0]))))
            workouts.append(Workout(phase: .ended, sport: String(row[2]), at: try #require(Self.moment(row[1]))))
        }
        let focusFile = try #require(sharedData).appending(path: "days/focus.jsonl")
        let focus = try String(contentsOf: focusFile, encoding: .utf8).split(separator: "\n")
            .map { try JSONDecoder().decode(FocusLine.self, from: Data($0.utf8)) }
            .map { (at: try #require(Self.moment(Substring($0.at))), line: $0) }
        let events = try Self.events.map {
            (
                start: try #require(Self.moment(Substring($0.0))), end: try #require(Self.moment(Substring($0.1))),
                type: $0.2
            )
        }

        var context = ContextInference()
        var right = [Int](repeating: 0, count: windows.count)
        var all = right
        var motion = motions[...]
        var workout = workouts[...]
        var now = try #require(motions.first).at
        let end = try #require(motions.last).at
        while now <= end {
            while let next = workout.first, next.at <= now {
                context.observe(next)
                workout = workout.dropFirst()
            }
            while let next = motion.first, next.at <= now {
                context.observe(next)
                motion = motion.dropFirst()
            }
            let line = focus.last { $0.at <= now }?.line
            let desktop = DesktopContext(at: now, focusActive: line?.active, focusName: line?.name)
            let event = events.first { $0.start <= now && now < $0.end }
            let calendar = CalendarContext(
                at: now, ongoing: event.map { .init(type: $0.type, endsAt: $0.end) })
            let found = context.infer(now: now, in: .gmt, desktop: desktop, calendar: calendar)
            for (index, window) in windows.enumerated() where (window.from...window.to).contains(now) {
                all[index] += 1
                if found.rawValue == window.context { right[index] += 1 }
            }
            now = now.adding(seconds: 30)
        }
        for (index, window) in windows.enumerated() {
            #expect(all[index] > 10)
            #expect(Double(right[index]) >= 0.95 * Double(all[index]), "\(window.context) at \(window.from)")
        }
    }
}
