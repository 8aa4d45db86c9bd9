/// Begins an import of health files into the body's database and answers at once; ``GetBodyImport`` tells how far it is.
/// Refused with `busy` while one is under way.
package struct StartBodyImport: Request {
    package typealias Reply = BodyImportState
    package static let target = ProcessName.body
    package static let name = "import-start"
    /// Absolute paths of files, read by the body.
    package var paths: [String]
    /// Reads files again that were imported whole before; without it they are only named.
    package var again: Bool?

    package init(paths: [String], again: Bool? = nil) {
        self.paths = paths
        self.again = again
    }
}

/// Asks how far the import is that was begun last.
package struct GetBodyImport: Request {
    package typealias Reply = BodyImportState
    package static let target = ProcessName.body
    package static let name = "import-status"

    package init() {}
}

/// Ends the import that is under way: what is stored stays, and the same file goes on from there when it is imported again.
package struct CancelBodyImport: Request {
    package typealias Reply = BodyImportState
    package static let target = ProcessName.body
    package static let name = "import-cancel"

    package init() {}
}

/// Where an import of health files stands.
package enum BodyImportPhase: String, Codable, Hashable, Sendable, CaseIterable {
    /// None was begun since the body started.
    case idle
    /// A file is compared with those that were imported before.
    case checking
    /// Records are read and stored.
    case reading
    /// Days, nights and baselines are computed from what came.
    case computing
    case done, cancelled
    /// The database could not be written; the failure says why.
    case failed
}

/// How far an import of health files is.
package struct BodyImportState: Message {
    package var phase: Open<BodyImportPhase>
    /// The file that is being taken in, absolute; absent before and after.
    package var path: String?
    /// Its place among the files, from 1; 0 when there is none.
    package var fileNumber: Int
    package var fileCount: Int
    /// Bytes of that file that were read, and all of them; 0 when not known.
    package var bytes: Int64
    package var totalBytes: Int64
    /// Records of that file so far.
    package var records: Int
    /// Of that file, since its reading began.
    package var recordsPerSecond: Double?
    /// Until that file is read, at its pace so far.
    package var secondsLeft: Double?
    /// What the finished files brought.
    package var report: BodyImportReport?
    package var failure: String?

    package init(
        phase: Open<BodyImportPhase>, path: String? = nil, fileNumber: Int = 0, fileCount: Int = 0, bytes: Int64 = 0,
        totalBytes: Int64 = 0, records: Int = 0, recordsPerSecond: Double? = nil, secondsLeft: Double? = nil,
        report: BodyImportReport? = nil, failure: String? = nil
    ) {
        self.phase = phase
        self.path = path
        self.fileNumber = fileNumber
        self.fileCount = fileCount
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.records = records
        self.recordsPerSecond = recordsPerSecond
        self.secondsLeft = secondsLeft
        self.report = report
        self.failure = failure
    }

    /// True while work goes on.
    package var isRunning: Bool { phase == .checking || phase == .reading || phase == .computing }
}

/// What an import of health files brought, file by file.
package struct BodyImportReport: Message {
    package var files: [BodyImportedFile]
    /// Local days that were computed again.
    package var days: Int
    /// The whole import, s.
    package var seconds: Double

    package init(files: [BodyImportedFile] = [], days: Int = 0, seconds: Double = 0) {
        self.files = files
        self.days = days
        self.seconds = seconds
    }
}

/// What one health file brought.
package struct BodyImportedFile: Codable, Hashable, Sendable {
    package var path: String
    package var bytes: Int64
    /// Records by kind that were taken, also those that were there already.
    package var taken: [String: Int]
    /// Records by kind that were not there before.
    package var added: [String: Int]
    /// Records by reason.
    package var skipped: [String: Int]
    /// What could not be read further, with the place.
    package var problems: [String]
    /// Why nothing could be read.
    package var error: String?
    /// True when the same bytes were imported whole before, so that the file was not read.
    package var unchanged: Bool
    /// Records that an import which did not end had stored before.
    package var resumedAt: Int

    package init(
        path: String, bytes: Int64 = 0, taken: [String: Int] = [:], added: [String: Int] = [:],
        skipped: [String: Int] = [:], problems: [String] = [], error: String? = nil, unchanged: Bool = false,
        resumedAt: Int = 0
    ) {
        self.path = path
        self.bytes = bytes
        self.taken = taken
        self.added = added
        self.skipped = skipped
        self.problems = problems
        self.error = error
        self.unchanged = unchanged
        self.resumedAt = resumedAt
    }
}
