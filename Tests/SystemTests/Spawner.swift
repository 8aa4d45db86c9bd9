import Foundation
import Glibc
import Synchronization

/// One thread that starts every child and never ends: the kernel signals a child when the *thread* that started it
/// dies, and threads of a pool come and go.
///
/// Not by Foundation's `Process`: it keeps descriptors of every child that it ever started, and with some 1,300 of them
/// it reads behind the end of the list of its descriptors and may die (swift-corelibs-foundation, pull request 5472).
final class Spawner: Sendable {
    static let shared = Spawner()
    private let queue = Mutex<[@Sendable () -> Void]>([])
    private let wake = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            // Threads of the pool block all signals, and children inherit that from the thread that starts them.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            while true {
                wake.wait()
                let job = queue.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                job?()
            }
        }
    }

    /// Starts a command whose standard input is empty.
    ///
    /// - Parameters:
    ///   - command: path of the executable, then its arguments.
    ///   - output: file that its output is added to; nil for nowhere.
    ///   - errors: the same for its errors.
    ///   - ended: is told how it ended: the exit status, or 128 + signal.
    /// - Returns: its process id.
    func start(
        _ command: [String], environment: [String: String] = ProcessInfo.processInfo.environment, output: URL? = nil,
        errors: URL? = nil, ended: @escaping @Sendable (pid_t, Int32) -> Void
    ) throws -> pid_t {
        let result = Mutex<Result<pid_t, SystemTestError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        queue.withLock {
            $0.append {
                let started = Self.spawn(command, environment, output, errors)
                result.withLock { $0 = started }
                done.signal()
                guard case .success(let pid) = started else { return }
                Thread.detachNewThread { ended(pid, Self.wait(pid)) }
            }
        }
        wake.signal()
        done.wait()
        guard let value = result.withLock({ $0 }) else { throw SystemTestError.failed("no result from the spawner") }
        return try value.get()
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String], _ output: URL?, _ errors: URL?
    ) -> Result<pid_t, SystemTestError> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, file) in [(Int32(1), output), (2, errors)] {
            let path = file?.path(percentEncoded: false) ?? "/dev/null"
            posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in open.compactMap(Int32.init) where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own: a key pressed at the terminal ends the tests, and they end their children.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))

        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, command[0], &actions, &attributes, &arguments, &variables)
        guard error == 0 else { return .failure(.failed("\(command[0]): \(String(cString: strerror(error)))")) }
        return .success(pid)
    }

    private static func wait(_ pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
