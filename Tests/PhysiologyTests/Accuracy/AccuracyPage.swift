import Formats
import Foundation
import Physiology
import Protocols

/// Writes `docs/accuracy.md` from what is computed now and the reference files.
enum AccuracyPage {
    static func text() throws -> String {
        let sections = [
            try introduction(), try HeartAccuracy.timeDomain(), try HeartAccuracy.artefacts(),
            try SleepAccuracy.counts(), try SleepAccuracy.nights(), try SleepAccuracy.readings(),
            try TrainingAccuracy.power(), try TrainingAccuracy.impulse(), try TrainingAccuracy.fitness(),
            try TrainingAccuracy.baselines(), try TrainingAccuracy.illness(), try StressAccuracy.separation(),
        ]
        return sections.joined(separator: "\n\n") + "\n"
    }

    private static func introduction() throws -> String {
        """
        # Accuracy

        Every figure of ours beside the same figure of another program on the same recording, and the difference. The
        reference values were computed by others (NeuroKit2, fitdecode and NumPy, GoldenCheetah's and TrainingPeaks' recurrences,
        the units' own figures stored in their files, HealthKit's own SDNN) and lie beside the recordings in files that are not
        part of the project. A test writes this page and holds it to what is computed now:

            RESONANCE_SHARED_DATA=… RESONANCE_WRITE_DOCS=1 swift test --filter AccuracyDocument

        “< 1e-8” is what rounding alone makes; “largest difference” is over all figures of the row. What has no reference is not
        on this page.
        """
    }

    static func object(_ path: String) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(try SharedData.text(path).utf8))
        guard let object = json as? [String: Any] else { throw CocoaError(.fileReadCorruptFile) }
        return object
    }

    static func path(_ part: String) throws -> String { try SharedData.url(part).path(percentEncoded: false) }

    static func number(_ value: Any?) -> Double? { (value as? NSNumber)?.doubleValue }
}

/// Heart-rate variability.
enum HeartAccuracy {
    static func timeDomain() throws -> String {
        var table = AccuracyTable(columns: ["recording", "figure", "ours", "reference", "difference"])
        for (name, series) in ReferenceSeries.all {
            let analysis = HRVAnalysis.report(try RRSeries.read(SharedData.url("hrv/\(name)")).beats)
            let expected = series.definition
            table.add(name, "intervals", ours: Double(analysis.n), reference: Double(expected.n), digits: 0)
            for (figure, ours, reference) in [
                ("SDNN, ms", analysis.sdnnMs, expected.sdnn), ("RMSSD, ms", analysis.rmssdMs, expected.rmssd),
                ("pNN50, %", analysis.pnn50Percent, expected.pnn50), ("SD1, ms", analysis.raw.sd1Ms, expected.sd1),
                ("SD2, ms", analysis.raw.sd2Ms, expected.sd2),
            ] { table.add(name, figure, ours: ours, reference: reference) }
        }
        return """
            ## Heart-rate variability

            Definitions of the Task Force (1996), computed with NumPy. Tolerance: one in a million.

            \(table.text)
            """
    }

    static func artefacts() throws -> String {
        var table = AccuracyTable(columns: ["recording", "figure", "ours", "reference", "difference"])
        for (name, series) in ReferenceSeries.all {
            let analysis = HRVAnalysis.report(try RRSeries.read(SharedData.url("hrv/\(name)")).beats)
            let expected = series.lipponen_tarvainen
            for (kind, ours) in [
                ("ectopic", analysis.artefacts.ectopic), ("missed", analysis.artefacts.missed),
                ("extra", analysis.artefacts.extra), ("long or short", analysis.artefacts.longshort),
            ] {
                let theirs = expected.indices[kind == "long or short" ? "longshort" : kind] ?? []
                let same = ours == theirs ? "same places" : "**other places**"
                table.rows.append([name, kind, "\(ours.count)", "\(theirs.count)", same])
            }
            let beats = analysis.correctedBeatsMs.first ?? []
            let after = TimeDomain(of: BeatSeries(rrMs: zip(beats.dropFirst(), beats).map { Double($0 - $1) }))
            table.add(name, "RMSSD after interpolation, ms", ours: after.rmssdMs, reference: expected.rmssd_after)
        }
        let labelled = HRVAnalysis.report(try RRSeries.read(SharedData.url("hrv/mitdb_100_beats.csv")).beats)
        let normal = try AccuracyPage.object("hrv/reference.json")["mitdb_100_beats.csv"] as? [String: Any]
        let truth = AccuracyPage.number((normal?["nn_only"] as? [String: Any])?["rmssd"])
        table.add(
            "mitdb_100_beats.csv", "RMSSD without flagged beats, against the cardiologists' labels, ms",
            ours: labelled.correctedRmssdMs, reference: truth)
        return """
            ## Artefacts

            Detection of Lipponen and Tarvainen (2019) against NeuroKit2's `signal_fixpeaks(method="Kubios")`, one pass. The last
            row is another question: how close leaving out what is flagged comes to the labels of cardiologists (gate: 25…33 ms).

            \(table.text)
            """
    }
}

/// Whether stress is told from rest.
enum StressAccuracy {
    static func separation() throws -> String {
        guard SharedData.has("stress/reference.json") else { return "## Stress\n\nThe recordings are absent." }
        let reference = try AccuracyPage.object("stress/reference.json")
        let people = try StressPerson.all()
        let judged = people.map { (name: $0.name, values: $0.judged(withBeats: false)) }
        let past = judged.flatMap { $0.values.dropFirst(StressPredictTests.warmUp) }
        let pooled = reference["pooled_all_people"] as? [String: Any]
        let whole = AccuracyPage.number((pooled?["hr_personal_z"] as? [String: Any])?["auc"])
        var table = AccuracyTable(columns: ["people", "ours", "reference", "difference"])
        table.add(
            "all \(judged.count), pooled, from the tenth minute", ours: areaUnderCurve(past), reference: whole)
        let each = reference["per_person"] as? [String: [String: Any]] ?? [:]
        for (name, values) in judged {
            guard let expected = each[name] else { continue }
            let ours = areaUnderCurve(Array(values.dropFirst(StressPredictTests.warmUp)))
            table.add(name, ours: ours, reference: AccuracyPage.number(expected["auc_hr"]))
        }
        let beats = people.filter { !$0.beats.isEmpty }
        let without = areaUnderCurve(beats.flatMap { $0.judged(withBeats: false) })
        let with = areaUnderCurve(beats.flatMap { $0.judged(withBeats: true) })
        return """
            ## Stress against rest

            Area under the ROC curve of minutes labelled stress and rest (Stress-Predict). Not the same computation: ours knows at
            each minute only what was before it, the reference takes the mean and spread of each person's whole rest, and its pooled
            figure is over 34 people, of whom \(judged.count) are in the recordings. Gate: pooled ≥ 0.63. Heart rate separates
            weakly, and some people not at all: a level is a hint, never a finding.

            \(table.text)

            The term of HRV must not lower it: \(AccuracyTable.number(with, 3)) with, \(AccuracyTable.number(without, 3)) without,
            over the \(beats.count) people with beats, from the first minute on.
            """
    }
}
