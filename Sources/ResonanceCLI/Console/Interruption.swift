import Dispatch
import Foundation
import Glibc
import Synchronization

/// Runs something endless until Ctrl-C or SIGTERM, which end it as a success.
func untilInterrupted(_ work: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(operation: work)
        group.addTask { await interruption() }
        defer { group.cancelAll() }
        try await group.next()
    }
}

/// Returns at the first SIGINT or SIGTERM, or when the task is cancelled.
private func interruption() async {
    let (signals, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { sink.yield() }
        source.resume()
        return source
    }
    for await _ in signals { break }
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
}

/// A number that several tasks may change.
final class Counter: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    /// Sets it and says what it was.
    func exchange(_ new: Int) -> Int {
        state.withLock { old in
            defer { old = new }
            return old
        }
    }
}
