import Foundation

/// What a run of the recorded days must show, from `expected.csv` and the playlists.
struct ExpectedWindow: Sendable {
    var from: Date
    var to: Date
    var context: String
    var needs: [String]

    /// Reads `from,to,context,needs` with needs separated by `|`.
    static func read(_ file: URL) throws -> [ExpectedWindow] {
        let style = Date.ISO8601FormatStyle()
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return ExpectedWindow(
                from: try style.parse(cells[0]), to: try style.parse(cells[1]), context: cells[2],
                needs: cells[3].split(separator: "|").map(String.init))
        }
    }
}

/// One state of the run.
struct SeenState: Sendable {
    var at: Date
    var context: String
    var need: String
    var stress: Double
    var arousal: Double
    var confidence: Double

    init?(_ body: [String: Any]) {
        guard let at = body["at"] as? Double, let context = body["activityContext"] as? String,
            let need = body["need"] as? String, let stress = body["stress"] as? Double,
            let arousal = body["arousal"] as? Double, let confidence = body["confidence"] as? Double
        else { return nil }
        self.at = Date(timeIntervalSince1970: at / 1000)
        self.context = context
        self.need = need
        self.stress = stress
        self.arousal = arousal
        self.confidence = confidence
    }
}

extension ExpectedWindow {
    func states(_ all: [SeenState]) -> [SeenState] { all.filter { from <= $0.at && $0.at < to } }

    /// Share of the states of this window in the right context.
    func contextShare(_ all: [SeenState]) -> Double {
        let inside = states(all)
        guard !inside.isEmpty else { return 0 }
        return Double(inside.count { $0.context == context }) / Double(inside.count)
    }

    /// Share of the states of this window with one of the right needs; 1 where none is given.
    func needShare(_ all: [SeenState]) -> Double {
        guard !needs.isEmpty else { return 1 }
        let inside = states(all)
        guard !inside.isEmpty else { return 0 }
        return Double(inside.count { needs.contains($0.need) }) / Double(inside.count)
    }
}

/// A played song with what the listener's own table says about it.
struct PlayedSong: Sendable {
    var startedAt: Date
    var id: String
    var title: String
    var artist: String
    var bpm: Double?
    var energy: Double?
}

func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
