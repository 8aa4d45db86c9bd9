import ArgumentParser
import Foundation
import Physiology
import Protocols

/// Which stretch of time a command about the body looks at.
struct BodySpan: ParsableArguments {
    @Option(help: "First day or moment (2026-01-31, or RFC 3339).") var from: MomentArgument?
    @Option(help: "Day or moment at which it ends; that is not part of it any more (default: now).")
    var to: MomentArgument?
    @Option(help: ArgumentHelp("The last so many days, instead of --from.", valueName: "number")) var days: Int?

    func validate() throws {
        if let days {
            guard from == nil else { throw ValidationError("--days and --from exclude each other") }
            guard (1...40_000).contains(days) else { throw ValidationError("--days \(days): must be 1…40000") }
        }
        if let from, let to, from.at >= to.at { throw ValidationError("--from must lie before --to") }
    }

    /// - Parameter usualDays: where nothing is said; nil = all there is.
    /// - Throws: ``CommandFailure`` when it is empty.
    func edges(usualDays: Int?, now: Timestamp, zone: TimeZone) throws -> (from: Timestamp, to: Timestamp) {
        let clock = LocalClock(timeZone: zone)
        // What is of this very moment belongs to it.
        let end = to?.at ?? now.adding(seconds: 60)
        var begin = from?.at ?? Timestamp(milliseconds: 0)
        if from == nil, let days = days ?? usualDays {
            begin = clock.start(ofDay: clock.day(of: end.adding(milliseconds: -1)) - days + 1)
        }
        guard begin < end else {
            throw CommandFailure(.usage, "the stretch of time is empty", cure: "give a --from before --to")
        }
        return (begin, end)
    }
}

extension Household {
    /// Every day of a span, oldest first, page by page.
    func days(from: Timestamp, to: Timestamp) async throws -> [DaySummary] {
        var days: [DaySummary] = []
        var end = to
        while true {
            let page = try await request(ListDays(from: from, to: end, limit: 10_000), deadline: .seconds(60))
            // Whatever the zone of the body, noon of a day is on that day or beside it: it may come twice.
            let first = days.first?.date
            let older = page.days.filter { day in first.map { day.date < $0 } ?? true }
            days = older + days
            guard page.truncated, !older.isEmpty, let number = days.first.flatMap({ LocalDate($0.date)?.number })
            else { return days }
            let noon = Timestamp(milliseconds: Int64(number) * 86_400_000 + 43_200_000)
            guard noon > from else { return days }
            end = noon
        }
    }
}

extension BodySettings.Units: ExpressibleByArgument {}

/// Metric or imperial, for one command.
struct UnitsOption: ParsableArguments {
    @Option(help: "metric or imperial (default: the setting `units`, see `resonance body settings list`).")
    var units: BodySettings.Units?

    /// What was said, else what is set.
    func figures(in household: any Household) async -> BodyFigures {
        if let units { return BodyFigures(units: units) }
        guard case .success(let list) = await household.attempt(GetBodySettings()),
            let row = list.rows.first(where: { $0.name == "units" }),
            let set = BodySettings.Units(rawValue: row.value)
        else { return BodyFigures(units: .metric) }
        return BodyFigures(units: set)
    }
}

/// Figures of the body as a person reads them. Everything is kept in metric units.
struct BodyFigures: Equatable {
    /// ml in a US fluid ounce, m in a mile and in a foot: exact by definition (NIST Handbook 44, appendix C).
    static let mlPerOunce = 29.573_529_562_5
    static let metresPerMile = 1609.344
    static let metresPerFoot = 0.3048

    let units: BodySettings.Units

    private var isMetric: Bool { units == .metric }

    func volume(_ ml: Double?) -> String {
        guard let ml else { return "–" }
        return isMetric ? "\(Wording.decimal(ml, 0)) ml" : "\(Wording.decimal(ml / Self.mlPerOunce, 1)) fl oz"
    }

    func distance(_ metres: Double?) -> String {
        guard let metres else { return "–" }
        let (unit, length) = isMetric ? ("km", 1000.0) : ("mi", Self.metresPerMile)
        return "\(Wording.decimal(metres / length, 2)) \(unit)"
    }

    func height(_ metres: Double?) -> String {
        guard let metres else { return "–" }
        return isMetric
            ? "\(Wording.decimal(metres, 0)) m" : "\(Wording.decimal(metres / Self.metresPerFoot, 0)) ft"
    }

    /// `5:00 /km` of a speed in m/s.
    func pace(_ metresPerSecond: Double?) -> String {
        guard let metresPerSecond, metresPerSecond > 0 else { return "–" }
        let (unit, length) = isMetric ? ("km", 1000.0) : ("mi", Self.metresPerMile)
        return "\(Wording.clock(Int64((length / metresPerSecond).rounded()) * 1000)) /\(unit)"
    }

    /// `7 h 12 min`.
    static func duration(minutes: Double?) -> String {
        guard let minutes, minutes.isFinite else { return "–" }
        let whole = Int(minutes.rounded())
        return whole < 60 ? "\(whole) min" : "\(whole / 60) h \(whole % 60) min"
    }

    /// ml of `300`, `300ml`, `0.3l`, `12oz`; a bare number is in the person's unit.
    func millilitres(_ text: String) -> Double? {
        guard let match = text.lowercased().wholeMatch(of: /(\d+(?:\.\d+)?)\s*(ml|cl|dl|l|oz|floz)?/),
            let number = Double(match.1)
        else { return nil }
        return switch match.2.map(String.init) {
        case "ml": number
        case "cl": number * 10
        case "dl": number * 100
        case "l": number * 1000
        case nil: isMetric ? number : number * Self.mlPerOunce
        default: number * Self.mlPerOunce
        }
    }
}
