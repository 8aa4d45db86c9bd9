import Physiology
import Protocols

/// A ride as a table of seconds: `elapsed_s,power_w,hr_bpm,cadence_rpm`, and what others call these columns.
package enum RideTable {
    static let largest = 64 << 20
    static let longestRecord = 4096

    enum Column {
        static let elapsed = ["elapsed_s", "elapsed", "secs", "seconds"]
        static let power = ["power_w", "power", "watts"]
        static let bpm = ["hr_bpm", "hr", "heart_rate", "bpm"]
        static let cadence = ["cadence_rpm", "cadence", "cad"]
        static let speed = ["speed_mps"]
        static let altitude = ["altitude_m"]
        static let distance = ["distance_m"]
    }

    static func recognizes(columns: Set<String>) -> Bool {
        let has = { (names: [String]) in names.contains { columns.contains($0) } }
        return has(Column.elapsed) && (has(Column.power) || has(Column.bpm))
    }

    /// The table as a workout that began at Unix time 0, since it says no date.
    ///
    /// - Parameter sport: what the reader takes it for; a table does not say.
    /// - Throws: ``FormatError`` with the line of a cell that is no number.
    package static func read(path: String, sport: Sport = .cycling) throws(FormatError) -> WorkoutRecord {
        try read(ByteStream(path: path, limit: largest), sport)
    }

    package static func read(
        bytes: [UInt8], name: String, sport: Sport = .cycling
    ) throws(FormatError) -> WorkoutRecord {
        try read(ByteStream(bytes: bytes, name: name), sport)
    }

    private static func read(_ stream: ByteStream, _ sport: Sport) throws(FormatError) -> WorkoutRecord {
        let path = stream.name
        var records = CSVRecords(stream, longestRecord: longestRecord)
        guard let first = try records.next() else {
            throw FormatError(file: path, cause: "is empty", cure: "export it again")
        }
        let header = first.map { MorningLog.plain($0).lowercased() }
        func index(_ names: [String]) -> Int? { header.firstIndex { names.contains($0) } }
        let elapsed = index(Column.elapsed)
        let columns = [
            index(Column.power), index(Column.bpm), index(Column.cadence), index(Column.speed), index(Column.altitude),
            index(Column.distance),
        ]
        var samples: [WorkoutSample] = []
        while let cells = try records.next() {
            func number(_ index: Int?) throws(FormatError) -> Double? {
                guard let index, index < cells.count else { return nil }
                let text = MorningLog.plain(cells[index])
                if text.isEmpty { return nil }
                guard let number = Double(text), number.isFinite else {
                    throw FormatError(
                        file: path, place: .line(records.line), cause: "'\(text.prefix(40))' is no number",
                        cure: "leave an unknown cell empty")
                }
                return number
            }
            guard let seconds = try number(elapsed), (0...1e7).contains(seconds) else {
                throw FormatError(
                    file: path, place: .line(records.line), cause: "has no time", cure: "give every row its seconds")
            }
            samples.append(
                WorkoutSample(
                    at: Timestamp(milliseconds: Int64((seconds * 1000).rounded())), bpm: try number(columns[1]),
                    powerW: try number(columns[0]), speedMps: try number(columns[3]), altitudeM: try number(columns[4]),
                    distanceM: try number(columns[5]), cadence: try number(columns[2])))
        }
        guard let start = samples.map(\.at).min(), let end = samples.map(\.at).max() else {
            throw FormatError(file: path, cause: "holds no seconds", cure: "check that it is the right file")
        }
        return WorkoutRecord(
            start: start, end: end, sport: sport, movingSeconds: 0, source: "table", samples: samples)
    }
}
