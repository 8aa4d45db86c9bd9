import Foundation
import Physiology
import Protocols
import Testing

@testable import Formats

/// FIT files as the body takes them, archives, and what is none of these.
struct HealthFileTests {
    // MARK: - FIT. Expected values: fitdecode 0.11.0 on the same files.

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `a pool swim counts the lengths that were swum`() throws {
        let taken = try Taken(SharedData.path("fit/raw/poolswim-fr735-event-timestamp.fit"))
        let swim = try #require(taken.workouts.first)
        #expect(taken.workouts.count == 1)
        #expect(swim.sport == .swimming)
        #expect(swim.start.description == "2017-06-13T13:42:30.000Z")
        // 114 active lengths of 166, 2763.254 s of 4371.56 s on the clock.
        #expect(abs(swim.movingSeconds - 2763.254) < 0.001)
        #expect(swim.distanceM == 2606.04)
        #expect(swim.meanBpm == 142 && swim.maximumBpm == 161)
        #expect(swim.end.seconds(since: swim.start) == 4567.485)
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `each sport of a multisport file is a workout of its own`() throws {
        let taken = try Taken(SharedData.path("fit/raw/multisport-run-transition-row.fit"))
        #expect(taken.workouts.map(\.sport) == [.running, .other, .rowing])
        #expect(taken.workouts.map(\.movingSeconds) == [24.593, 11.763, 23.245])
        #expect(taken.workouts.map(\.meanBpm) == [54, 48, 54])
        #expect(taken.workouts.map(\.samples.count).reduce(0, +) == 60)
        for workout in taken.workouts {
            #expect(workout.samples.allSatisfy { $0.at >= workout.start && $0.at.seconds(since: workout.end) <= 1 })
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `the day of a band adds up to its own steps`() throws {
        let taken = try Taken(SharedData.path("fit/raw/fitparse-MonitoringFile.fit"))
        // The last messages of the file: 3142 walking, 31 running.
        #expect(taken.quantities.filter { $0.kind == .steps }.reduce(0) { $0 + $1.value } == 3173)
        #expect(taken.quantities.allSatisfy { $0.start <= $0.end && $0.value > 0 })
        // Most messages have but the low half of their time, counted from the beginning that the file names.
        #expect(taken.quantities.count > 50)
        #expect(taken.tally.skipped["unreadable time"] == nil)
        #expect(taken.workouts.isEmpty)
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `a virtual ride keeps the records behind its elapsed time`() throws {
        // The session says 1632 s elapsed and 2760 s on the timer; there are 2760 records, one a second.
        let ride = try #require(try Taken(SharedData.path("fit/raw/virtual-edge1030plus.fit")).workouts.first)
        #expect(ride.samples.count == 2760)
        #expect(abs(ride.movingSeconds - 2760) < 1.5)
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `the beats of an activity are one reading of an activity`() throws {
        let taken = try Taken(SharedData.path("fit/raw/fenix3-hrv-64min.fit"))
        let reading = try #require(taken.variability.first)
        #expect(taken.variability.count == 1)
        #expect(reading.kind == .activity)
        #expect(reading.sdnnMs == nil)
        #expect((8000...8174).contains(reading.beats.count))
        #expect(taken.workouts.first?.samples.count == 3822)
    }

    @Test(
        .enabled(if: SharedData.isThere, "needs the shared data folder"),
        arguments: ["fitparse-activity-unexpected-eof.fit", "fitparse-activity-filecrc.fit"])
    func `a damaged FIT file is named with its place`(name: String) throws {
        let path = try SharedData.path("fit/raw/\(name)")
        do {
            let taken = try Taken(path)
            #expect(taken.tally.problems.contains { $0.contains(name) })
        } catch let error as FormatError {
            #expect(error.description.contains(name))
        }
    }

    // MARK: - Archives

    private static let gpx =
        "<gpx><trk><trkseg><trkpt lat=\"0\" lon=\"0\"><time>2024-05-01T06:00:00Z</time></trkpt><trkpt lat=\"0\" lon=\"0.001\"><time>2024-05-01T06:00:10Z</time></trkpt></trkseg></trk></gpx>"

    @Test func `an archive of activities gives each of them, and names the damaged one`() throws {
        let start = Timestamp(milliseconds: 1_714_543_200_000)
        let ride = WorkoutRecord(
            start: start, end: start.adding(seconds: 60), sport: .cycling, movingSeconds: 60, source: "x",
            samples: (0...60).map { WorkoutSample(at: start.adding(seconds: Double($0)), bpm: 120) })
        let fit = try FITWriter.bytes(of: ride)
        let folder = try TemporaryFolder()
        let path = try folder.write(
            StoredZip.bytes([
                ("a/ride.fit", fit), ("b/torn.fit", Array("nothing.".utf8)), ("run.gpx", Array(Self.gpx.utf8)),
                ("photo.jpg", [1, 2, 3]),
            ]), to: "activities.zip")
        let taken = try Taken(path)
        #expect(taken.workouts.map(\.sport) == [.cycling, .other])
        #expect(taken.tally.problems.count == 1)
        #expect(taken.tally.problems.first?.contains("b/torn.fit") == true)
        #expect(taken.tally.skipped["other file in the archive: not used"] == 1)
        #expect(try Inspection.inspect(path: path, timeZone: .gmt).kind == "archive")
    }

    @Test func `an archive of nothing of ours, and one that is cut off, are refused by name`() throws {
        let folder = try TemporaryFolder()
        let photos = try folder.write(StoredZip.bytes([("photo.jpg", [1])]), to: "photos.zip")
        let whole = StoredZip.bytes([("run.gpx", Array(Self.gpx.utf8))])
        let cut = try folder.write(whole.prefix(whole.count - 30), to: "cut.zip")
        for path in [photos, cut] {
            #expect {
                _ = try Taken(path)
            } throws: { error in
                (error as? FormatError)?.description.contains(path) == true
            }
        }
    }

    @Test func `an entry that is not what its checksum says is a problem, not a workout`() throws {
        var bytes = StoredZip.bytes([("run.gpx", Array(Self.gpx.utf8)), ("same.gpx", Array(Self.gpx.utf8))])
        // Inside the first entry.
        bytes[bytes.startIndex + 60] ^= 1
        let folder = try TemporaryFolder()
        let taken = try Taken(try folder.write(bytes, to: "activities.zip"))
        #expect(taken.tally.problems.count == 1)
        #expect(taken.tally.problems.first?.contains("run.gpx") == true)
    }

    // MARK: - Neither

    @Test(
        arguments: [
            ("empty.xml", ""), ("other.xml", "<html><body/></html>"), ("text.txt", "hello"), ("list.json", "[1]"),
            ("half.json", "{\"data\":{\"metrics\":["), ("utf16.csv", "\u{FEFF}"),
        ])
    func `what is no health file is refused with its name and what to do`(name: String, text: String) throws {
        let folder = try TemporaryFolder()
        let data = name.hasPrefix("utf16") ? Data([0xFF, 0xFE, 0x64, 0]) : Data(text.utf8)
        let path = try folder.write(data, to: name)
        #expect {
            _ = try Taken(path)
        } throws: { error in
            (error as? FormatError)?.description.contains(path) == true
        }
    }
}
