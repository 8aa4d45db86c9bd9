import Foundation
import Physiology
import Protocols

/// What a simulated person does between two times of the day, again every day.
package struct DayPlan: Codable, Hashable, Sendable {
    package enum Activity: String, Codable, Hashable, Sendable, CaseIterable {
        case sleep, sit, desk, walk, vehicle, workout
    }

    package struct Entry: Codable, Hashable, Sendable {
        /// Local time of day, `HH:mm`.
        package var from: String
        /// Local time of day, `HH:mm`, after `from`; `24:00` is midnight.
        package var to: String
        package var activity: Activity
        /// 0…1; 0.3 is an ordinary moment.
        package var stress: Double?
        /// Of a workout: `running`, `cycling`, `strength`.
        package var sport: String?
        /// Of a workout: share of the heart-rate reserve that it asks for, 0…1.
        package var effort: Double?

        package init(
            from: String, to: String, activity: Activity, stress: Double? = nil, sport: String? = nil,
            effort: Double? = nil
        ) {
            self.from = from
            self.to = to
            self.activity = activity
            self.stress = stress
            self.sport = sport
            self.effort = effort
        }
    }

    /// A mood that the person enters at the watch.
    package struct MoodEntry: Codable, Hashable, Sendable {
        package var at: String
        package var mood: Int
        package var energy: Int
    }

    /// Where several fit, the last one counts; where none fits, the person sits.
    package var entries: [Entry]
    package var moods: [MoodEntry]?

    package init(entries: [Entry], moods: [MoodEntry]? = nil) {
        self.entries = entries
        self.moods = moods
    }

    /// Minutes since midnight of `HH:mm`, 0…1440, or nil.
    static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(parts[0]),
            let minute = Int(parts[1]),
            (0...24).contains(hour), (0..<60).contains(minute), hour < 24 || minute == 0
        else { return nil }
        return hour * 60 + minute
    }
}

/// Why a day plan cannot be used.
package enum DayPlanError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case invalid(path: String, entry: Int, reason: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): no day plan (\(reason)); see deploy/example"
        case .invalid(let path, let entry, let reason): "\(path), entry \(entry): \(reason)"
        }
    }
}

extension DayPlan {
    /// Reads a plan from JSON: `{"entries": [{"from": "09:00", "to": "12:00", "activity": "desk"}, …]}`.
    ///
    /// - Throws: ``DayPlanError`` that names the file and the entry (from 1).
    package static func read(path: String) throws -> DayPlan {
        let plan: DayPlan
        do {
            plan = try JSONDecoder().decode(DayPlan.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw DayPlanError.unreadable(path: path, reason: "\(error)")
        }
        for (index, entry) in plan.entries.enumerated() {
            guard let from = minute(entry.from), let to = minute(entry.to), from < to else {
                throw DayPlanError.invalid(
                    path: path, entry: index + 1, reason: "from and to must be HH:mm within one day, from before to")
            }
            guard (0...1).contains(entry.stress ?? 0), (0...1).contains(entry.effort ?? 0) else {
                throw DayPlanError.invalid(path: path, entry: index + 1, reason: "stress and effort are 0…1")
            }
        }
        for (index, entry) in (plan.moods ?? []).enumerated() {
            guard minute(entry.at) != nil, (1...5).contains(entry.mood), (1...5).contains(entry.energy) else {
                throw DayPlanError.invalid(
                    path: path, entry: index + 1, reason: "a mood needs at (HH:mm), mood and energy 1…5")
            }
        }
        return plan
    }

    /// An invented working day: sleep, commute, desk with walks in between, one to three stressful half hours, and on
    /// most days a workout in the evening.
    static func invented(day: Int64, seed: UInt64) -> DayPlan {
        var random = SplitMix64(seed: seed, name: "day \(day)")
        func time(_ minutes: Double) -> String {
            let minute = min(1440, max(0, Int(minutes)))
            return String(format: "%02d:%02d", minute / 60, minute % 60)
        }
        let wake = 390 + 40 * random.uniform()
        var entries = [
            Entry(from: "00:00", to: time(wake), activity: .sleep, stress: 0.1),
            Entry(from: time(wake), to: time(wake + 60), activity: .sit, stress: 0.2),
            Entry(from: time(wake + 60), to: time(wake + 90), activity: .vehicle, stress: 0.3),
            Entry(from: "09:00", to: "17:00", activity: .desk, stress: 0.3),
            Entry(from: "17:10", to: "17:40", activity: .vehicle, stress: 0.3),
            Entry(from: "17:40", to: "23:00", activity: .sit, stress: 0.2),
        ]
        var minute = 560.0
        while minute < 1000 {
            entries.append(Entry(from: time(minute), to: time(minute + 4 + 6 * random.uniform()), activity: .walk))
            minute += 50 + 70 * random.uniform()
        }
        for _ in 0..<(1 + Int(3 * random.uniform())) {
            let start = 570 + 400 * random.uniform()
            entries.append(
                Entry(
                    from: time(start), to: time(start + 20 + 20 * random.uniform()), activity: .desk,
                    stress: 0.75 + 0.2 * random.uniform()))
        }
        if random.uniform() < 0.6 {
            let sport = random.uniform() < 0.5 ? "running" : "cycling"
            let start = 1080 + 40 * random.uniform()
            entries.append(
                Entry(
                    from: time(start), to: time(start + 30 + 30 * random.uniform()), activity: .workout, stress: 0.2,
                    sport: sport, effort: 0.55 + 0.25 * random.uniform()))
        }
        entries.append(Entry(from: "23:00", to: "24:00", activity: .sleep, stress: 0.1))
        return DayPlan(entries: entries)
    }
}
