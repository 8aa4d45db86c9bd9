import Protocols

extension Recording {
    /// Column names of each kind; the first cell of a set is the one that our own files use.
    private enum Column {
        static let time = ["time", "timestamp", "at", "date", "datetime"]
        static let bpm = ["bpm", "hr", "heart_rate", "heartrate", "heart rate", "value"]
    }

    /// Reads CSV or a list of intervals.
    ///
    /// - Parameter open: opens the text from its beginning; called twice for intervals.
    /// - Throws: ``FormatError`` with the line.
    package init(opening open: () throws(FormatError) -> ByteStream) throws(FormatError) {
        let stream = try open()
        var rows = CSVRecords(stream, longestRecord: Self.longestLine)
        guard let first = try rows.next() else {
            throw FormatError(file: stream.name, cause: "is empty", cure: "give a recording")
        }
        let header = first.map { trimmed($0).lowercased() }
        var table = Table(rows: rows, file: stream.name, header: header)
        if table.has(["mood"]), table.has(["energy"]) {
            self.init(name: stream.name, kind: .moods, samples: try table.moods())
        } else if table.has(["start"]), table.has(["end"]) {
            self.init(name: stream.name, kind: .workouts, samples: try table.workouts())
        } else if table.has(["activity"]), table.has(["intensity"]) {
            self.init(name: stream.name, kind: .motion, samples: try table.motion())
        } else if table.has(Column.time), table.has(Column.bpm) {
            let samples = try table.heartRates(time: Column.time, bpm: Column.bpm, firstRow: nil)
            self.init(name: stream.name, kind: .heartRate, samples: samples, leftOut: table.leftOut)
        } else if first.count >= 2, let time = RecordingTime.parse(trimmed(first[0])),
            time.milliseconds > 100_000_000_000,
            Double(trimmed(first[1])) != nil
        {
            // A time before 1973 is rather the number or the offset of a beat.
            table.header = ["time", "bpm"]
            let samples = try table.heartRates(time: Column.time, bpm: Column.bpm, firstRow: first)
            self.init(name: stream.name, kind: .heartRate, samples: samples, leftOut: table.leftOut)
        } else {
            let line = rows.line
            do {
                self.init(try RRSeries.read(open()), name: stream.name)
            } catch  where error.place == .file && first.allSatisfy({ Double(trimmed($0)) == nil }) {
                throw FormatError(
                    file: stream.name, place: .line(line), cause: "names no known columns",
                    cure:
                        "give time,bpm or time,activity,intensity,steps or start,end,sport or time,mood,energy, or beats"
                )
            }
        }
    }
}

private func trimmed(_ text: String) -> String { text.trimmingPrefix(while: \.isWhitespace).trimmedEnd }

extension Substring {
    fileprivate var trimmedEnd: String {
        var end = self
        while end.last?.isWhitespace == true { end.removeLast() }
        return String(end)
    }
}

/// Rows under a header.
private struct Table {
    var rows: CSVRecords
    let file: String
    var header: [String]
    var leftOut = 0

    func has(_ names: [String]) -> Bool { header.contains { names.contains($0) } }

    private func column(_ names: [String]) -> Int? { header.firstIndex { names.contains($0) } }

    private func failure(_ cause: String, _ cure: String) -> FormatError {
        FormatError(file: file, place: .line(rows.line), cause: cause, cure: cure)
    }

    private func cell(_ row: [String], _ names: [String]) throws(FormatError) -> String {
        guard let index = column(names), index < row.count else {
            throw failure("has no '\(names[0])'", "give every row all its columns")
        }
        return trimmed(row[index])
    }

    private func time(_ row: [String], _ names: [String]) throws(FormatError) -> Timestamp {
        let text = try cell(row, names)
        guard let time = RecordingTime.parse(text) else {
            throw failure(
                "'\(text.prefix(40))' is no time", "write 2026-05-10T06:55:26Z, or Unix time in seconds or milliseconds"
            )
        }
        return time
    }

    private func number(
        _ row: [String], _ names: [String], in range: ClosedRange<Double>
    ) throws(FormatError) -> Double {
        let text = try cell(row, names)
        guard let number = Double(text), range.contains(number) else {
            throw failure(
                "\(names[0]) is '\(text.prefix(40))'", "give a number in \(range.lowerBound)…\(range.upperBound)")
        }
        return number
    }

    mutating func heartRates(
        time: [String], bpm: [String], firstRow: [String]?
    ) throws(FormatError) -> [RecordedSample] {
        var samples: [RecordedSample] = []
        var pending = firstRow
        while true {
            let row: [String]
            if let first = pending {
                row = first
                pending = nil
            } else {
                guard let next = try rows.next() else { break }
                row = next
            }
            let at = try self.time(row, time)
            let text = try cell(row, bpm)
            guard let value = Double(text), value.isFinite else {
                throw failure("bpm is '\(text.prefix(40))'", "give a heart rate in beats per minute")
            }
            if (20...300).contains(value) {
                samples.append(.heartRate(HeartRate(at: at, bpm: value, source: "replay")))
            } else {
                leftOut += 1
            }
        }
        return samples
    }

    mutating func motion() throws(FormatError) -> [RecordedSample] {
        var samples: [RecordedSample] = []
        while let row = try rows.next() {
            let text = try cell(row, ["activity"])
            guard let activity = MotionActivity(rawValue: text) else {
                throw failure(
                    "activity is '\(text.prefix(40))'",
                    "write \(MotionActivity.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            let steps = has(["steps"]) ? try number(row, ["steps"], in: 0...100_000) : 0
            var cadence: Double?
            if has(["cadence"]), try !cell(row, ["cadence"]).isEmpty {
                cadence = try number(row, ["cadence"], in: 0...400)
            }
            samples.append(
                .motion(
                    Motion(
                        at: try time(row, ["time"]), intensity: try number(row, ["intensity"], in: 0...1),
                        cadencePerMinute: cadence, steps: Int(steps), activity: activity)))
        }
        return samples
    }

    mutating func workouts() throws(FormatError) -> [RecordedSample] {
        var samples: [RecordedSample] = []
        while let row = try rows.next() {
            let (start, end) = (try time(row, ["start"]), try time(row, ["end"]))
            guard start < end else { throw failure("the workout ends before it starts", "correct the times") }
            let sport = has(["sport"]) ? try cell(row, ["sport"]) : "other"
            var energy: Double?
            if has(["energykcal"]), try !cell(row, ["energykcal"]).isEmpty {
                energy = try number(row, ["energykcal"], in: 0...20_000)
            }
            samples.append(.workout(Workout(phase: .started, sport: sport, at: start)))
            samples.append(.workout(Workout(phase: .ended, sport: sport, energyKcal: energy, at: end)))
        }
        return samples
    }

    mutating func moods() throws(FormatError) -> [RecordedSample] {
        var samples: [RecordedSample] = []
        while let row = try rows.next() {
            let mood = try number(row, ["mood"], in: 1...5)
            let energy = try number(row, ["energy"], in: 1...5)
            samples.append(
                .mood(
                    MoodInput(
                        at: try time(row, ["time"]), mood: Int(mood.rounded()), energy: Int(energy.rounded()),
                        via: "replay")))
        }
        return samples
    }
}
