import Synchronization

/// One value from a callback to a test.
final class Mailbox<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let sink: AsyncStream<Value>.Continuation

    init() { (stream, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64)) }

    func put(_ value: Value) { sink.yield(value) }
    func next() async -> Value? { await stream.first { _ in true } }
}
