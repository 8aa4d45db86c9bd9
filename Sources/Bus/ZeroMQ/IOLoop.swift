import CZeroMQ
import Foundation
import Synchronization

/// The one thread that owns a process's sockets. It is the serial executor of the actor that holds them: whatever is
/// isolated to that actor runs here, between two polls, and nothing here ever blocks but the poll.
final class IOLoop: SerialExecutor, Sendable {
    private let jobs = Mutex<[UnownedJob]>([])
    private let stopped = Atomic<Bool>(false)
    private let thread = Atomic<UInt>(0)
    private let itemsAreOld = Atomic<Bool>(true)
    private let wakeDescriptor: Int32

    init() throws(BusError) {
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeDescriptor >= 0 else {
            throw .socket(operation: "eventfd", reason: String(cString: strerror(errno)))
        }
    }

    deinit { close(wakeDescriptor) }

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        if stopped.load(ordering: .acquiring), !isOnThread {
            // The thread is gone or going: late jobs, such as an actor's release, run where they are.
            unowned.runSynchronously(on: asUnownedSerialExecutor())
            return
        }
        let isFirst = jobs.withLock { jobs in
            jobs.append(unowned)
            return jobs.count == 1
        }
        if isFirst { wake() }
    }

    /// Makes the poll return.
    func wake() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
    }

    func stop() {
        stopped.store(true, ordering: .releasing)
        wake()
    }

    /// Has the sockets asked for again before the next poll: some were closed or are new.
    func renewItems() { itemsAreOld.store(true, ordering: .relaxed) }

    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    private var isOnThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func isIsolatingCurrentContext() -> Bool? { isOnThread }
    func checkIsolated() { precondition(isOnThread, "a socket was touched from another thread") }

    /// Claims the calling thread. First thing on it.
    func adopt() { thread.store(UInt(pthread_self()), ordering: .relaxed) }

    /// Polls until ``stop()``.
    ///
    /// - Parameters:
    ///   - items: sockets to wait for; asked again after ``renewItems()``.
    ///   - wanted: asked before each poll: the events (`ZMQ_POLLIN`, `ZMQ_POLLOUT`) of the first items where they differ
    ///     from what the items say, and the longest wait in ms (−1 = for ever).
    ///   - ready: called after each poll, whatever woke it.
    func run(_ items: () -> [ZMQPollItem], wanted: () -> (events: [Int32], timeoutMs: Int), ready: () -> Void) {
        var polled: [zmq_pollitem_t] = []
        renewItems()
        while !isStopped {
            if itemsAreOld.exchange(false, ordering: .relaxed) {
                polled = items().map(\.raw)
                polled.append(zmq_pollitem_t(socket: nil, fd: wakeDescriptor, events: Int16(ZMQ_POLLIN), revents: 0))
            }
            let (events, timeout) = wanted()
            for index in events.indices { polled[index].events = Int16(events[index]) }
            if zmq_poll(&polled, Int32(polled.count), timeout) < 0, zmq_errno() != EINTR { break }
            if polled[polled.count - 1].revents != 0 {
                var value: UInt64 = 0
                _ = read(wakeDescriptor, &value, 8)
            }
            runJobs()
            ready()
        }
        runJobs()
    }

    private func runJobs() {
        let due = jobs.withLock { jobs in
            defer { jobs.removeAll(keepingCapacity: true) }
            return jobs
        }
        for job in due { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
