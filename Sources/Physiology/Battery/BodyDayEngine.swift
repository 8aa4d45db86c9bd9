import Protocols

/// From records of days to the figures of every local day: load, fitness, battery, guidance.
///
/// Pure and whole: the same records give the same days, whatever order they came in. Ten years take some hundredths of a
/// second, so everything is computed anew whenever a record, a threshold or a setting changes.
package struct BodyDayEngine: Sendable {
    package let settings: BodyDaySettings
    package let loads: DailyLoads
    private let variability: [SignalSource: SignalSeries]
    private let resting: [SignalSource: SignalSeries]
    private let asleep: [Int: Double]
    private let span: ClosedRange<Int>?
    private let confidences: DayConfidence
    /// The stretches between long silences, if there were any: each begins anew.
    private let stretches: [BodyDayEngine]

    /// After so many days without any record, of training or of the body, nobody knows what was: those days are no rest, and
    /// fitness begins anew with the next record.
    package static let longestSilence = 42

    /// Confidence below which a day's guidance says that it is a guess.
    package static let guess = 0.1

    /// - Parameters:
    ///   - signals: one entry a day.
    ///   - today: the last day that is computed, also without any record.
    package init(
        loads: DailyLoads, signals: [DaySignals], settings: BodyDaySettings = BodyDaySettings(), today: Int
    ) {
        self.settings = settings
        self.loads = loads
        // A record of the future waits for its day.
        let signals = signals.filter { $0.day <= today }
        let days = loads.entries.map(\.day).filter { $0 <= today } + signals.map(\.day)
        stretches = Self.stretches(days, loads, signals, settings, today)
        span = days.min().map { $0...today }
        variability = Self.series(signals, \.lnVariability, SignalSeries.variabilityFloor)
        resting = Self.series(signals, \.restingBpm, SignalSeries.restingFloor)
        asleep = signals.reduce(into: [:]) { $0[$1.day] = $1.asleepMinutes }
        confidences = DayConfidence(
            loads: loads, variability: variability, resting: resting,
            hasOwnStart: { if case .own = settings.start { true } else { false } }())
    }

    private static func stretches(
        _ days: [Int], _ loads: DailyLoads, _ signals: [DaySignals], _ settings: BodyDaySettings, _ today: Int
    ) -> [BodyDayEngine] {
        let known = Set(days).sorted()
        let begins = zip(known, known.dropFirst()).filter { $1 - $0 > longestSilence }.map(\.1)
        guard let first = known.first, !begins.isEmpty else { return [] }
        return zip([first] + begins, begins.map { $0 - 1 } + [today]).enumerated().map { index, edges in
            let span = edges.0...edges.1
            var settings = settings
            // The listener's own figures are those of the beginning.
            if index > 0, case .own = settings.start { settings.start = .usualLoad }
            return BodyDayEngine(
                loads: loads.within(span), signals: signals.filter { span.contains($0.day) }, settings: settings,
                today: edges.1)
        }
    }

    private static func series(
        _ signals: [DaySignals], _ path: KeyPath<DaySignals, [SignalSource: Double]>, _ floor: Double
    ) -> [SignalSource: SignalSeries] {
        var series: [SignalSource: SignalSeries] = [:]
        for source in SignalSource.allCases {
            let known = signals.compactMap { day in day[keyPath: path][source].map { (day: day.day, value: $0) } }
            guard let first = known.map(\.day).min(), let last = known.map(\.day).max() else { continue }
            var values = [Double?](repeating: nil, count: last - first + 1)
            for one in known { values[one.day - first] = one.value }
            series[source] = SignalSeries(firstDay: first, values: values, floor: floor)
        }
        return series
    }

    /// Every local day from the first record to today, one entry each. Behind ``longestSilence`` all begins anew.
    package func days() -> [BodyDay] {
        guard stretches.isEmpty else { return stretches.flatMap { $0.days() } }
        guard let span else { return [] }
        let byDay = loads.byDay
        // Fitness begins with the first workout: days before it are unknown, not rest.
        let firstLoad = min(loads.entries.first?.day ?? span.upperBound, span.upperBound)
        let first = { if case .own = settings.start { span.lowerBound } else { max(firstLoad, span.lowerBound) } }()
        let model = FitnessModel(convention: settings.convention, start: settings.start)
        let values = (first...span.upperBound).map { byDay[$0] ?? 0 }
        let figures = model.days(values, firstDay: first)
        let begins = model.beginning(values)
        let methods = Dictionary(grouping: loads.entries, by: \.day).mapValues { entries in
            entries.map(\.load.method).reduce(into: [LoadMethod]()) { if !$0.contains($1) { $0.append($1) } }
        }
        var adjustment = BatteryAdjustment()
        var watch = IllnessWatch()
        var days: [BodyDay] = []
        days.reserveCapacity(span.count)
        for day in span {
            let index = day - first
            let figure =
                index >= 0
                ? figures[index]
                : FitnessDay(
                    day: day, load: 0, fitness: begins.fitness, fatigue: begins.fatigue, form: 0, rampPerWeek: nil)
            let morning = index > 0 ? (figures[index - 1].fitness, figures[index - 1].fatigue) : begins
            let known = confidences.daysKnown(day)
            let hrv = confidences.score(day, variability)
            let rest = confidences.score(day, resting)
            let points = adjustment.next(day: day, variabilityZ: hrv?.score.z, restingZ: rest?.score.z)
            let illness = watch.next(day: day, variability: hrv?.score, resting: rest?.score)
            let percent = BatteryModel.calibrated(
                formPercent: BatteryModel.formPercent(form: morning.0 - morning.1, fitness: morning.0), daysKnown: known
            )
            let battery = Int(min(max(BatteryModel.base(formPercent: percent) + points, 0), 100).rounded())
            let calibrating = FitnessModel.calibrating(daysKnown: known)
            let zone = BatteryZone(battery: battery)
            var guidance = Guidance(
                Guidance.Situation(
                    zone: zone, fitness: morning.0, fitnessAWeekAgo: index >= 8 ? figures[index - 8].fitness : nil,
                    adjustment: points, illness: illness, isCalibrating: calibrating != nil,
                    week: index >= 7 ? figures[(index - 7)..<index].map(\.load) : [], asleepMinutes: asleep[day],
                    rampCap: settings.rampCap,
                    fitnessRate: settings.convention.rate(days: FitnessConvention.fitnessDays)))
            let confidence = confidences.confidence(day)
            if confidence < Self.guess {
                guidance.reasons.append("Little more than a guess: hardly anything was recorded in the last weeks.")
            }
            let main = hrv?.source ?? confidences.mainSource(day, variability)
            days.append(
                BodyDay(
                    figures: figure, morningFitness: morning.0, morningFatigue: morning.1, battery: battery, zone: zone,
                    adjustment: points, illness: illness, variability: hrv?.score, resting: rest?.score,
                    trend: main.flatMap { variability[$0]?.trend(day) } ?? .notEnoughData,
                    weekVariationPercent: main.flatMap { variability[$0]?.weekVariationPercent(day) },
                    guidance: guidance, confidence: confidence, calibratingDays: calibrating,
                    methods: methods[day] ?? []))
        }
        return days
    }
}
