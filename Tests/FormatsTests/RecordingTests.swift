import Foundation
import Protocols
import Testing

@testable import Formats

struct RecordingTests {
    private func recording(_ text: String) throws -> Recording {
        try Recording { () throws(FormatError) in ByteStream(bytes: Array(text.utf8), name: "test.csv") }
    }

    /// Counts by `awk 'END{print NR-1}'` over the files.
    @Test(
        .enabled(if: SharedData.isThere, "needs the shared data folder"),
        arguments: [
            ("heart-rate", Recording.Kind.heartRate), ("motion", .motion), ("workouts", .workouts), ("moods", .moods),
        ])
    func `every row of the example days is there`(name: String, kind: Recording.Kind) throws {
        let path = try SharedData.path("days/\(name).csv")
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline).count - 1
        let recording = try Recording(path: path)
        #expect(recording.kind == kind)
        #expect(recording.samples.count + recording.leftOut == (kind == .workouts ? 2 * rows : rows))
        #expect(zip(recording.samples, recording.samples.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test(
        arguments: [
            ("2016-05-10T06:55:26Z", 1_462_863_326_000), ("2016-05-10T08:55:26.250+02:00", 1_462_863_326_250),
            ("1462863326", 1_462_863_326_000), ("1462863326250", 1_462_863_326_250),
            ("2016-05-10 06:55:26Z", 1_462_863_326_000), ("2000-02-29T23:59:59Z", 951_868_799_000),
        ] as [(String, Int64)])
    func `times in all notations`(text: String, milliseconds: Int64) {
        #expect(RecordingTime.parse(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2016-05-10T06:55:26", "2016-13-10T06:55:26Z", "yesterday", "-1", "nan", "2016-05-10T06:55:26.Z",
    ])
    func `a time without zone or meaning is none`(text: String) {
        #expect(RecordingTime.parse(text) == nil)
    }

    @Test func `heart rates without a header, in Unix time, out of order`() throws {
        let recording = try recording("1462863330,70\n1462863326,71\n1462863331,0\n")
        #expect(recording.leftOut == 1)
        #expect(
            recording.samples == [
                .heartRate(HeartRate(at: Timestamp(milliseconds: 1_462_863_326_000), bpm: 71, source: "replay")),
                .heartRate(HeartRate(at: Timestamp(milliseconds: 1_462_863_330_000), bpm: 70, source: "replay")),
            ])
    }

    @Test(arguments: [
        ("time,bpm\n2016-05-10T06:55:26Z,71\nnoon,70\n", 3), ("time,bpm\n2016-05-10T06:55:26Z,fast\n", 2),
        ("time,activity,intensity,steps\n2016-05-10T06:55:26Z,dancing,0.5,1\n", 2),
        ("time,activity,intensity,steps\n2016-05-10T06:55:26Z,walking,1.5,1\n", 2),
        ("start,end,sport\n2016-05-10T07:00:00Z,2016-05-10T06:00:00Z,running\n", 2),
        ("from,to,context\n2016-05-10T07:00:00Z,2016-05-10T08:00:00Z,work\n", 1),
        ("time,mood,energy\n2016-05-10T07:00:00Z,6,3\n", 2), ("time,bpm\n2016-05-10T06:55:26Z\n", 2),
    ])
    func `a wrong row is named by its line`(text: String, line: Int) {
        #expect {
            _ = try recording(text)
        } throws: { error in
            (error as? FormatError)?.place == .line(line)
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `beats without times follow each other in messages of at most two seconds`() throws {
        let recording = try Recording(path: SharedData.path("hrv/pyhrv_nni_short_5min.txt"))
        let lines = try String(contentsOfFile: SharedData.path("hrv/pyhrv_nni_short_5min.txt"), encoding: .utf8)
            .split(whereSeparator: \.isNewline).compactMap { Double($0) }
        var beats: [Double] = []
        for sample in recording.samples {
            guard case .rr(let sample) = sample else { continue }
            #expect(sample.startAt.milliseconds == Int64(beats.reduce(0, +)))
            #expect(sample.rrMs.reduce(0, +) <= 2000)
            beats += sample.rrMs
        }
        #expect(recording.isRelative)
        #expect(beats == lines)
    }

    @Test func `unreadable files are refused by name`() throws {
        let folder = try TemporaryFolder()
        var noise = SystemRandomNumberGenerator()
        let files: [(String, Data)] = [
            ("empty", Data()), ("utf16", "time,bpm\n2016-05-10T06:55:26Z,71\n".data(using: .utf16) ?? Data()),
            ("latin1", Data("time,bpm\n2016-05-10T06:55:26Z,71\n".utf8) + Data([0xE9, 0x2C, 0xE8, 0x0A])),
            ("line", Data(repeating: 0x37, count: 8 << 20)), ("header", Data("time,bpm\n".utf8)),
            ("noise", Data((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &noise) })),
        ]
        for (name, bytes) in files {
            let path = try folder.write(bytes, to: name)
            #expect {
                _ = try Recording(path: path)
            } throws: { error in
                (error as? FormatError)?.file == path
            }
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `an activity gives heart rates, beats and its workout`() throws {
        let recording = try Recording(path: SharedData.path("fit/raw/fenix3-hrv-64min.fit"))
        var (beats, rates, phases) = (0, 0, [String]())
        for sample in recording.samples {
            switch sample {
            case .rr(let sample): beats += sample.rrMs.count
            case .heartRate: rates += 1
            case .workout(let sample): phases.append(sample.phase.rawValue)
            case .motion, .mood: break
            }
        }
        #expect(beats == 8174)
        #expect(rates == 3821)
        #expect(phases == ["started", "ended"])
    }
}
