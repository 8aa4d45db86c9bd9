/// Begins an import and answers at once; ``GetImport`` tells how far it is. Refused with `busy` while one is under way.
package struct StartImport: Request {
    package typealias Reply = ImportState
    package static let target = ProcessName.librarian
    package static let name = "import-start"
    /// Absolute paths of files or directories, read by the librarian.
    package var paths: [String]

    package init(paths: [String]) {
        self.paths = paths
    }
}

/// Asks how far the import is that was begun last.
package struct GetImport: Request {
    package typealias Reply = ImportState
    package static let target = ProcessName.librarian
    package static let name = "import-status"

    package init() {}
}

/// Gives up the import that is under way: of the file it is at, nothing is taken; files before it stay.
package struct CancelImport: Request {
    package typealias Reply = ImportState
    package static let target = ProcessName.librarian
    package static let name = "import-cancel"

    package init() {}
}

/// Where an import stands.
package enum ImportPhase: String, Codable, Hashable, Sendable, CaseIterable {
    /// None was begun since the librarian started.
    case idle
    /// A file is being read and checked; nothing of it is stored yet.
    case reading
    /// Its songs are being stored, in one transaction.
    case storing
    case done, cancelled
    /// The library could not be written; the failure says why.
    case failed
}

/// How far an import is.
package struct ImportState: Message {
    package var phase: Open<ImportPhase>
    /// The file that is being taken in, absolute; absent before and after.
    package var path: String?
    /// Its place among the files, from 1; 0 when there is none.
    package var fileNumber: Int
    package var fileCount: Int
    /// Bytes of that file.
    package var fileBytes: Int64?
    /// Songs of that file that are stored so far, and all of them; both 0 while it is read.
    package var rows: Int
    package var totalRows: Int
    /// What the finished files brought.
    package var report: ImportReport?
    package var failure: String?

    package init(
        phase: Open<ImportPhase>, path: String? = nil, fileNumber: Int = 0, fileCount: Int = 0,
        fileBytes: Int64? = nil, rows: Int = 0, totalRows: Int = 0, report: ImportReport? = nil, failure: String? = nil
    ) {
        self.phase = phase
        self.path = path
        self.fileNumber = fileNumber
        self.fileCount = fileCount
        self.fileBytes = fileBytes
        self.rows = rows
        self.totalRows = totalRows
        self.report = report
        self.failure = failure
    }

    /// True while work goes on.
    package var isRunning: Bool { phase == .reading || phase == .storing }
}
