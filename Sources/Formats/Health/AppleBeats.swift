import Physiology
import Protocols

/// The beat list of one reading of an Apple Watch: whole beats per minute, each with a clock time.
///
/// The times are printed in the clock of the phone's locale and zone, whose hours may differ from those of the record; so
/// only minutes and seconds are believed, and anchored to the start of the record.
struct AppleBeats {
    private var bpm: [Double] = []
    /// Seconds of the hour, nil where the time could not be read.
    private var seconds: [Double?] = []

    /// Beats that no heart has, or too many for one reading.
    private(set) var refused = 0
    /// Differences from beat to beat below which no RMSSD is given.
    static let leastPairs = 10
    /// A reading is about a minute; some run for an hour.
    static let mostBeats = 20_000

    var isEmpty: Bool { bpm.isEmpty }

    mutating func add(bpm value: Double, secondsOfHour: Double?) {
        guard (20...300).contains(value), bpm.count < Self.mostBeats else {
            refused += 1
            return
        }
        bpm.append(value)
        seconds.append(secondsOfHour)
    }

    /// Sample standard deviation (n − 1) of 60000/bpm over all listed beats, ms: as Apple makes its SDNN.
    var sdnnMs: Double? { sampleSD(of: bpm.map { 60_000 / $0 }) }

    /// Pairs of neighbours between which beats were lost, and RMSSD in ms over the others.
    ///
    /// A beat follows the one before when the time between them is its own interval 60000/bpm, within the 10 ms of the
    /// clock and the rounding of bpm to whole numbers.
    func rmssd(of times: [Double]) -> (gaps: Int, rmssdMs: Double?) {
        guard times.count == bpm.count, bpm.count > 1 else { return (0, nil) }
        var squares = 0.0
        var pairs = 0
        for index in 1..<bpm.count where follows(index, times[index] - times[index - 1]) {
            let difference = 60_000 / bpm[index] - 60_000 / bpm[index - 1]
            squares += difference * difference
            pairs += 1
        }
        let enough = pairs >= Self.leastPairs
        return (bpm.count - 1 - pairs, enough ? (squares / Double(pairs)).squareRoot() : nil)
    }

    private func follows(_ index: Int, _ step: Double) -> Bool {
        let interval = 60_000 / bpm[index]
        return abs(step * 1000 - interval) < max(25, 10 + 60_000 / (bpm[index] - 0.5) - interval)
    }

    /// Seconds from the start of the record to each beat; nil when a time is missing or none fits the record.
    ///
    /// - Parameters:
    ///   - start: of the record.
    ///   - duration: of the record, s.
    func times(since start: HealthTime, duration: Double) -> [Double]? {
        guard !bpm.isEmpty, !seconds.contains(where: { $0 == nil }) else { return nil }
        let clock = seconds.compactMap(\.self)
        let wall = (Double(start.milliseconds) / 1000 + Double(start.offset)).truncatingRemainder(dividingBy: 3600)
        let ahead = Self.modulo(clock[0] - wall)
        // Zones with half hours may print another minute; a beat may lie a little before the start.
        let fitting = [ahead, ahead - 3600, ahead - 1800, ahead + 1800].first { (-60...duration + 60).contains($0) }
        guard var time = fitting else { return nil }
        var times = [time]
        for index in 1..<clock.count {
            let step = Self.modulo(clock[index] - clock[index - 1])
            time += step > 3540 ? step - 3600 : step
            times.append(time)
        }
        repairRollover(&times, clock)
        return times
    }

    /// Some clocks print `6.00` where 6.996 was rounded up to 7.00: such a beat lies a whole second too early.
    private func repairRollover(_ times: inout [Double], _ clock: [Double]) {
        for index in times.indices where clock[index] == clock[index].rounded() {
            let isEarly =
                index > 0
                ? follows(index, times[index] + 1 - times[index - 1])
                : times.count > 1 && follows(1, times[1] - times[0] - 1)
            if isEarly { times[index] += 1 }
        }
    }

    private static func modulo(_ seconds: Double) -> Double {
        let rest = seconds.truncatingRemainder(dividingBy: 3600)
        return rest < 0 ? rest + 3600 : rest
    }

    /// The beats with their moments; those of a list without usable times all bear the start of the record.
    func beats(at times: [Double]?, since start: Timestamp) -> [VariabilityRecord.Beat] {
        bpm.indices.map { index in
            VariabilityRecord.Beat(at: start.adding(seconds: times?[index] ?? 0), bpm: bpm[index])
        }
    }
}
