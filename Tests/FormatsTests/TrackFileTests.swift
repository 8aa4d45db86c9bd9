import Foundation
import Physiology
import Protocols
import Testing

@testable import Formats

/// TCX and GPX with what devices and apps put into them.
struct TrackFileTests {
    private func taken(_ text: String, _ name: String) throws -> Taken {
        let folder = try TemporaryFolder()
        return try Taken(try folder.write(text, to: name))
    }

    private static let tcx = """
        <?xml version="1.0"?>
        <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
         <Activities><Activity Sport="Biking"><Id>2024-05-01T06:00:00Z</Id>
          <Lap StartTime="2024-05-01T06:00:00Z"><TotalTimeSeconds>60.0</TotalTimeSeconds>
           <DistanceMeters>500.5</DistanceMeters><Calories>12</Calories>
           <MaximumHeartRateBpm><Value>131</Value></MaximumHeartRateBpm>
           <Track>
            <Trackpoint><Time>2024-05-01T06:00:00.000Z</Time><AltitudeMeters>100</AltitudeMeters>
             <DistanceMeters>0</DistanceMeters><HeartRateBpm><Value>120</Value></HeartRateBpm><Cadence>80</Cadence>
             <Extensions><ns3:TPX xmlns:ns3="x"><ns3:Speed>8.25</ns3:Speed><ns3:Watts>200</ns3:Watts></ns3:TPX></Extensions>
            </Trackpoint>
            <Trackpoint><Time>2024-05-01T08:00:30+02:00</Time><HeartRateBpm><Value>0</Value></HeartRateBpm></Trackpoint>
            <Trackpoint><Time>later</Time></Trackpoint>
           </Track></Lap>
          <Lap StartTime="2024-05-01T06:05:00Z"><TotalTimeSeconds>30</TotalTimeSeconds>
           <DistanceMeters>250</DistanceMeters><Calories>6</Calories><Track>
            <Trackpoint><Time>2024-05-01T06:05:30Z</Time><HeartRateBpm><Value>130</Value></HeartRateBpm></Trackpoint>
           </Track></Lap>
          <Creator><Name>Edge 1030</Name></Creator>
         </Activity></Activities>
        </TrainingCenterDatabase>
        """

    @Test func `a TCX activity adds up its laps and keeps its points`() throws {
        let taken = try taken(Self.tcx, "ride.tcx")
        let ride = try #require(taken.workouts.first)
        #expect(taken.workouts.count == 1)
        #expect(ride.sport == .cycling)
        #expect(ride.source == "Edge 1030")
        #expect(ride.start.description == "2024-05-01T06:00:00.000Z")
        #expect(ride.end.description == "2024-05-01T06:05:30.000Z")
        #expect(ride.movingSeconds == 90)
        #expect(ride.distanceM == 750.5)
        #expect(ride.energyKcal == 18)
        #expect(ride.meanBpm == 125)
        #expect(ride.maximumBpm == 130)
        #expect(ride.meanPowerW == 200)
        #expect(ride.samples.count == 3)
        #expect(
            ride.samples[0]
                == WorkoutSample(
                    at: ride.start, bpm: 120, powerW: 200, speedMps: 8.25, altitudeM: 100, distanceM: 0, cadence: 80))
        // No heart stands still on a ride: 0 is "no reading".
        #expect(ride.samples[1].bpm == nil)
        #expect(ride.samples[1].at.description == "2024-05-01T06:00:30.000Z")
        #expect(taken.tally.skipped == ["unreadable time": 1])
    }

    @Test func `a TCX file that was cut off inside its activity says so and gives nothing half`() throws {
        let cut = String(Self.tcx.prefix(Self.tcx.count * 2 / 3))
        let taken = try taken(cut, "ride.tcx")
        #expect(taken.workouts.isEmpty)
        #expect(taken.tally.problems.contains { $0.contains("cut off") })
    }

    private static func gpx(_ points: String, type: String = "running") -> String {
        """
        <?xml version="1.0"?>
        <gpx version="1.1" creator="StravaGPX" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="x">
         <metadata><time>2024-05-01T05:00:00Z</time><name>Whole file</name></metadata>
         <trk><name>Morning &amp; run</name><type>\(type)</type><trkseg>\(points)</trkseg></trk>
        </gpx>
        """
    }

    @Test func `a GPX track has its distance on the sphere, its climb and its extensions`() throws {
        let points = """
            <trkpt lat="0" lon="0"><ele>10</ele><time>2024-05-01T06:00:00Z</time><extensions><power>210</power>
             <gpxtpx:TrackPointExtension><gpxtpx:hr>140</gpxtpx:hr><gpxtpx:cad>85</gpxtpx:cad></gpxtpx:TrackPointExtension>
            </extensions></trkpt>
            <trkpt lat="0" lon="0.001"><ele>14</ele><time>2024-05-01T06:00:20Z</time><extensions>
             <gpxtpx:TrackPointExtension><gpxtpx:hr>150</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>
            <trkpt lat="0" lon="0.002"><ele>12</ele><time>2024-05-01T06:10:20Z</time></trkpt>
            <trkpt lat="0" lon="0.003"><ele>13</ele><time>2024-05-01T06:10:30Z</time></trkpt>
            """
        let taken = try taken(Self.gpx(points), "run.gpx")
        let run = try #require(taken.workouts.first)
        #expect(run.sport == .running)
        #expect(run.title == "Morning & run")
        #expect(run.source == "StravaGPX")
        // A thousandth of a degree of a great circle of the mean radius is 111.195 m.
        #expect(abs((run.distanceM ?? 0) - 3 * 111.195) < 0.01)
        // Ten minutes without a point are a pause.
        #expect(run.movingSeconds == 30)
        #expect(run.end.seconds(since: run.start) == 630)
        #expect(run.ascentM == 5)
        #expect(run.meanBpm == 145)
        #expect(run.samples[0].powerW == 210 && run.samples[0].cadence == 85)
    }

    @Test func `points without times make no workout, and are counted`() throws {
        let taken = try taken(Self.gpx("<trkpt lat=\"1\" lon=\"2\"><ele>3</ele></trkpt>"), "route.gpx")
        #expect(taken.records.isEmpty)
        #expect(taken.tally.skipped == ["unreadable time": 1])
    }

    @Test func `an impossible place or value is no place and no value`() throws {
        let points = """
            <trkpt lat="95" lon="2"><ele>NaN</ele><time>2024-05-01T06:00:00Z</time><hr>999</hr></trkpt>
            <trkpt lat="x" lon="2"><ele>1e999</ele><time>2024-05-01T06:00:10Z</time></trkpt>
            """
        let run = try #require(try taken(Self.gpx(points), "run.gpx").workouts.first)
        #expect(run.distanceM == nil && run.meanBpm == nil && run.ascentM == nil)
        #expect(run.movingSeconds == 10)
    }

    @Test(arguments: [("ride.tcx", "tcx", 1), ("run.gpx", "gpx", 1)])
    func `an inspection names the kind and its workouts`(name: String, kind: String, workouts: Int) throws {
        let points = (0..<3).map { "<trkpt lat=\"0\" lon=\"0.00\($0)\"><time>2024-05-01T06:00:0\($0)Z</time></trkpt>" }
        let text = kind == "tcx" ? Self.tcx : Self.gpx(points.joined())
        let folder = try TemporaryFolder()
        let report = try Inspection.inspect(path: try folder.write(text, to: name), timeZone: .gmt)
        #expect(report.kind == kind)
        #expect((report.detail as? HealthDetail)?.workouts.count == workouts)
        #expect(report.wouldTake == ["workout": workouts])
    }
}
