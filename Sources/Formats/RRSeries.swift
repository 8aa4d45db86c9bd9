import Foundation
import Physiology
import Protocols

/// A recording of beat-to-beat intervals, read from a text file.
package struct RRSeries: Hashable, Sendable {
    /// How the file writes its intervals.
    package enum Layout: String, Hashable, Sendable {
        /// One interval per line.
        case intervals
        /// A running number, then the interval.
        case numbered
        /// The time at which the interval ended, then the interval.
        case timed
        /// Sample numbers of annotated beats (MIT-BIH style), with their labels.
        case annotatedBeats
    }

    /// The intervals, with holes where the times of the file show them.
    package var beats: BeatSeries
    package var layout: Layout
    /// `ms` or `s`, as the file has them.
    package var unit: String
    /// Seconds since the start of the recording at which each interval ended, shape `[n]`; nil when the file has no times.
    package var endSeconds: [Double]?
    /// When the recording began, if the file says so.
    package var startAt: Timestamp?
    /// Labels of the beats that end each interval (`N`, `A`, `V` …), shape `[n]`; nil when the file has none.
    package var labels: [String]?
    /// Lines that were skipped in front of the data.
    package var headerLines: Int
}

extension RRSeries {
    /// Largest file in bytes: months of beats.
    static let largestFile = 256 << 20
    /// Longest line in bytes; an interval needs a dozen.
    static let longestLine = 4096

    /// Reads a recording: RR text in s or ms with one or two columns, Elite HRV exports, Empatica `IBI.csv`, CSV with a
    /// header, annotated beats with a `sample_…hz` column.
    ///
    /// - Throws: ``FormatError`` that names the file and the line; nothing is kept of such a file.
    package static func read(_ url: URL) throws(FormatError) -> RRSeries {
        try read(ByteStream(path: url.path(percentEncoded: false), limit: largestFile))
    }

    /// Reads a recording from a stream, such as bytes in memory.
    package static func read(_ stream: ByteStream) throws(FormatError) -> RRSeries {
        var table = RRTable(file: stream.name)
        var lines = LineReader(stream, longest: longestLine)
        while let line = try lines.next() {
            try table.add(utf8Text(line, file: stream.name, line: lines.number), line: lines.number)
        }
        return try table.series()
    }
}
