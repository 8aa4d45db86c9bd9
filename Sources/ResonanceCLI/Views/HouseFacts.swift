import CPosix
import Foundation
import Glibc
import Protocols
import ServiceKit

/// What the doctor looks at: gathered here, judged by ``Diagnosis``.
struct HouseFacts: Sendable {
    /// A directory or file as it is on disk.
    struct Place: Sendable, Equatable {
        var path: String
        var exists: Bool
        var own: Bool
        /// Permission bits, as 0o700.
        var mode: UInt32
    }

    var runtime: Place
    var data: Place
    var state: Place
    /// Files under data and state that somebody else may read, or that are not ours.
    var openFiles: [Place] = []
    /// Free bytes where the data is; nil when it cannot be told.
    var freeBytes: Int64?
    var expected: [ProcessName]
    /// Why the hub could not be asked; nil when it answered.
    var hubFailure: String?
    var table: ProcessTable?
    var context: Result<ContextStatusReply, Refusal>?
    var brain: Result<BrainStatusReply, Refusal>?
    var library: LibraryRevision?
    var ownVersion = ResonanceVersion.current
    /// What the supervisor says; nil without one.
    var report: SupervisorReport?
    /// Who holds a lock, which is who lives.
    var holders: [Holder] = []
    /// Heartbeats of some seconds, by process.
    var beats: [String: [HeardBeat]] = [:]

    struct Holder: Sendable, Equatable {
        var process: ProcessName
        var pid: String
    }

    func isGivenUp(_ name: ProcessName) -> Bool {
        report?.processes.contains { process, known in
            known.wanted == .givenUp && ExpectedProcesses.matches(ProcessName(rawValue: process), name)
        } ?? false
    }

    /// How to start a process anew here.
    func restart(_ name: ProcessName) -> String { RestartWords.command(name.rawValue, supervised: report != nil) }

    init(runtime: Place, data: Place, state: Place, expected: [ProcessName]) {
        self.runtime = runtime
        self.data = data
        self.state = state
        self.expected = expected
    }

    /// Looks at the disk.
    init(directories: Directories, expected: [ProcessName]) {
        self.init(
            runtime: Self.place(directories.runtime.path(percentEncoded: false)),
            data: Self.place(directories.data.path(percentEncoded: false)),
            state: Self.place(directories.state.path(percentEncoded: false)), expected: expected)
        for directory in [directories.data, directories.state] {
            openFiles += Traces.files(under: directory).map(Self.place).filter { !$0.own || $0.mode & 0o077 != 0 }
        }
        report = SupervisorReportFile(runtimeDirectory: directories.runtime).ofLiving()
        holders = Traces(directories: directories).holders().map { Holder(process: $0.process, pid: $0.pid) }
        let near = data.exists ? data.path : "/"
        freeBytes =
            ((try? FileManager.default.attributesOfFileSystem(forPath: near))?[.systemFreeSize] as? NSNumber)?
            .int64Value
    }

    /// Asks the processes.
    mutating func ask(_ household: any Household) async {
        switch await household.attempt(HubPeers()) {
        case .success(let table): self.table = table
        case .failure(let refusal): hubFailure = refusal.message
        }
        guard table != nil else { return }
        let running = Set(table?.processes.filter { $0.running && !$0.process.isVisitor }.map(\.process.rawValue) ?? [])
        beats = await household.beats(within: .milliseconds(2500)) { heard in
            running.allSatisfy { (heard[$0]?.count ?? 0) >= 2 }
        }
        context = await household.attempt(ContextStatus())
        brain = await household.attempt(BrainStatus())
        if case .success(let kept) = await household.attempt(HubSnapshot(prefixes: [Registry.library.spec.family])) {
            library = KeptValues(kept).value(Registry.library())
        }
    }

    static func place(_ path: String) -> Place {
        let bare = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var status = stat()
        guard lstat(bare, &status) == 0 else { return Place(path: bare, exists: false, own: false, mode: 0) }
        return Place(
            path: bare, exists: true, own: status.st_uid == geteuid(), mode: UInt32(status.st_mode & 0o777))
    }
}
