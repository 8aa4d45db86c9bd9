import Formats
import Foundation
import Physiology
import Protocols
import Testing

struct RRSeriesTests {
    static func read(_ text: String) throws(FormatError) -> RRSeries {
        try RRSeries.read(ByteStream(bytes: Array(text.utf8), name: "beats.txt"))
    }

    @Test(arguments: [
        "812\n790\n805\n", "0.812\r\n0.790\r\n0.805", "# strap\n812\r790\r805\r", "\u{FEFF}RR (ms)\n812\n790\n805\n",
        "0 0.812\n0.79 0.790\n1.595 0.805\n", "index,rr\n0,812\n1,790\n2,805\n", "0,812\n0,790\n0,805\n",
        "0.812;0,812\n1.602;0,790\n2.407;0,805\n", "1600000000.0, IBI\n0.812,0.812\n1.602,0.790\n2.407,0.805\n",
        "sample_1000hz,symbol\n0,N\n812,N\n1602,V\n2407,N\n",
    ])
    func `reads the usual layouts`(text: String) throws {
        let series = try Self.read(text)
        #expect(series.beats.rrMs.map { $0.rounded() } == [812, 790, 805])
        #expect(series.beats.gapsBefore.isEmpty)
    }

    @Test func `a jump of the time is a hole`() throws {
        let series = try Self.read("1600000000.0, IBI\n0.812,0.812\n1.602,0.790\n9.407,0.805\n10.2,0.793\n")
        #expect(series.beats.gapsBefore == [2])
        #expect(series.startAt?.milliseconds == 1_600_000_000_000)
        #expect(HRVAnalysis.report(series.beats).raw.pairs == 2)
    }

    @Test(arguments: [
        ("", FormatError.Place.file), ("\n\n", .file), ("812\n790\nabc\n", .line(3)), ("812\n790\n8", .line(3)),
        ("812\n790 3\n", .line(2)), ("812\n", .file), ("1 2 3\n4 5 6\n", .line(1)), ("812\n-790\n805", .line(2)),
        ("812\nnan\n805", .line(2)), ("1.0 0.8\n2.0 0.9\n1.5 0.8\n", .line(3)), ("812\n1e300\n805", .line(2)),
    ])
    func `refuses by file and line`(text: String, place: FormatError.Place) throws {
        let error = #expect(throws: FormatError.self) { _ = try Self.read(text) }
        #expect(error?.file == "beats.txt")
        #expect(error?.place == place)
    }

    @Test func `refuses one endless line, other encodings and noise`() throws {
        var bytes: [[UInt8]] = [
            [UInt8](repeating: 0x38, count: 1 << 20), [0xFF, 0xFE, 0x38, 0x00], [0x38, 0xC3, 0x28, 0x0A],
        ]
        var state: UInt64 = 1
        for _ in 0..<50 {
            bytes.append(
                (0..<2000).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(state >> 56)
                })
        }
        for noise in bytes {
            #expect(throws: FormatError.self) { _ = try RRSeries.read(ByteStream(bytes: noise, name: "noise")) }
        }
    }
}
