import Formats
import Foundation
import Physiology
import Testing

/// One series of the reference file with the figures that other libraries computed.
struct ReferenceSeries: Decodable, Sendable {
    struct Definition: Decodable, Sendable {
        var n: Int
        var mean_nn: Double
        var sdnn: Double
        var rmssd: Double
        var ln_rmssd: Double
        var sdsd: Double
        var nn50: Int
        var pnn50: Double
        var sd1: Double
        var sd2: Double
    }

    struct Artefacts: Decodable, Sendable {
        var indices: [String: [Int]]
        var n_after: Int
        var rmssd_after: Double
        var sdnn_after: Double
    }

    var definition: Definition
    var lipponen_tarvainen: Artefacts

    /// Every series of the reference file whose recording is there.
    static let all: [(name: String, series: ReferenceSeries)] = {
        guard SharedData.has("hrv/reference.json"), let text = try? SharedData.text("hrv/reference.json"),
            let file = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        else { return [] }
        return file.keys.sorted().compactMap { name in
            guard SharedData.has("hrv/\(name)"), let part = file[name],
                let data = try? JSONSerialization.data(withJSONObject: part),
                let series = try? JSONDecoder().decode(ReferenceSeries.self, from: data)
            else { return nil }
            return (name, series)
        }
    }()
}

@Suite(.enabled(if: !ReferenceSeries.all.isEmpty, "shared/data/hrv is absent"))
struct HRVReferenceTests {
    @Test(arguments: ReferenceSeries.all)
    func `time domain equals the definition within one in a million`(name: String, series: ReferenceSeries) throws {
        let recording = try RRSeries.read(SharedData.url("hrv/\(name)"))
        let analysis = HRVAnalysis.report(recording.beats)
        let expected = series.definition
        #expect(analysis.n == expected.n)
        #expect(analysis.raw.nn50 == expected.nn50)
        let pairs: [(Double?, Double)] = [
            (analysis.meanNnMs, expected.mean_nn), (analysis.sdnnMs, expected.sdnn),
            (analysis.rmssdMs, expected.rmssd), (analysis.raw.lnRmssd, expected.ln_rmssd),
            (analysis.raw.sdsdMs, expected.sdsd), (analysis.pnn50Percent, expected.pnn50),
            (analysis.raw.sd1Ms, expected.sd1), (analysis.raw.sd2Ms, expected.sd2),
        ]
        for (index, pair) in pairs.enumerated() {
            let value = try #require(pair.0)
            #expect(abs(value - pair.1) <= 1e-6 * max(abs(pair.1), 1e-9), "figure \(index)")
        }
    }

    @Test(arguments: ReferenceSeries.all)
    func `artefact indices equal those of NeuroKit2`(name: String, series: ReferenceSeries) throws {
        let recording = try RRSeries.read(SharedData.url("hrv/\(name)"))
        let found = HRVAnalysis.report(recording.beats).artefacts
        let expected = series.lipponen_tarvainen.indices
        #expect(found.ectopic == expected["ectopic"])
        #expect(found.missed == expected["missed"])
        #expect(found.extra == expected["extra"])
        #expect(found.longshort == expected["longshort"])
    }

    @Test(arguments: ReferenceSeries.all)
    func `interpolated beats equal those of NeuroKit2`(name: String, series: ReferenceSeries) throws {
        let recording = try RRSeries.read(SharedData.url("hrv/\(name)"))
        let beats = try #require(HRVAnalysis.report(recording.beats).correctedBeatsMs.first)
        let after = TimeDomain(of: BeatSeries(rrMs: zip(beats.dropFirst(), beats).map { Double($0 - $1) }))
        let expected = series.lipponen_tarvainen
        #expect(after.n == expected.n_after)
        #expect(abs(try #require(after.rmssdMs) - expected.rmssd_after) <= 1e-6 * expected.rmssd_after)
        #expect(abs(try #require(after.sdnnMs) - expected.sdnn_after) <= 1e-6 * expected.sdnn_after)
    }

    @Test(.enabled(if: SharedData.has("hrv/mitdb_100_beats.csv"), "shared/data/hrv/mitdb_100_beats.csv is absent"))
    func `leaving out flagged beats gives the RMSSD that the cardiologists' labels give`() throws {
        let recording = try RRSeries.read(SharedData.url("hrv/mitdb_100_beats.csv"))
        let analysis = HRVAnalysis.report(recording.beats)
        // 63.2 ms with the ectopic beats, 27.5 ms between beats labelled normal.
        #expect((25...33).contains(try #require(analysis.correctedRmssdMs)))
        #expect(analysis.isUsable)
        // Computed with NumPy from the indices of NeuroKit2.
        #expect(abs(try #require(analysis.correctedRmssdMs) - 26.78190051109453) < 1e-6)
    }
}
