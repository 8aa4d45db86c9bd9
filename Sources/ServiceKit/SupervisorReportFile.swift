import CPosix
import Foundation
import Protocols
import Synchronization

/// Reads the supervisor's report from the runtime directory; again only when the file has changed.
package final class SupervisorReportFile: Sendable {
    /// A report is some kilobytes: what is larger is not one.
    static let sizeLimit = 1 << 20

    private struct State {
        var inode: UInt64 = 0
        var changedNs: Int64 = -1
        var report: SupervisorReport?
    }

    private let path: String
    private let state = Mutex(State())

    package init(runtimeDirectory: URL) {
        path = runtimeDirectory.appending(path: SupervisorReport.fileName).path(percentEncoded: false)
    }

    /// The report of the supervisor that started this process; nil when there is none, or when it is another's.
    package func ofParent() -> SupervisorReport? { read().flatMap { $0.supervisor == getppid() ? $0 : nil } }

    /// The report of a supervisor that still runs; nil when there is none.
    package func ofLiving() -> SupervisorReport? {
        read().flatMap { $0.supervisor > 1 && kill($0.supervisor, 0) == 0 ? $0 : nil }
    }

    private func read() -> SupervisorReport? {
        state.withLock { state in
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_size <= Self.sizeLimit
            else {
                state = State()
                return nil
            }
            let changedNs = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
            if changedNs != state.changedNs || UInt64(status.st_ino) != state.inode {
                // Written beside and renamed: what is there is whole.
                let data = FileManager.default.contents(atPath: path)
                state.report = data.flatMap { try? JSONDecoder().decode(SupervisorReport.self, from: $0) }
                state.changedNs = changedNs
                state.inode = UInt64(status.st_ino)
            }
            return state.report
        }
    }
}
