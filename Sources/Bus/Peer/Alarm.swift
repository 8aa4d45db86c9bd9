import Synchronization

/// A sleep that somebody else can end early.
final class Alarm: Sendable {
    private enum State {
        case awake
        /// Rung while nobody slept: the next sleep ends at once.
        case rung
        case asleep(Task<Void, Never>)
    }

    private let state = Mutex(State.awake)

    /// Sleeps until the time is over, ``ring()``, or cancellation. For one sleeper.
    func sleep(for duration: Duration) async {
        let sleep = state.withLock { state -> Task<Void, Never>? in
            if case .rung = state {
                state = .awake
                return nil
            }
            let task = Task<Void, Never> { try? await Task.sleep(for: duration) }
            state = .asleep(task)
            return task
        }
        guard let sleep else { return }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        state.withLock { $0 = .awake }
    }

    func ring() {
        state.withLock { state in
            if case .asleep(let task) = state { task.cancel() } else { state = .rung }
        }
    }
}

extension Duration {
    /// What is left until the time since boot is a multiple of `period`: processes that wake at the same moment let the
    /// machine sleep for the rest of it. A multiple that is just about to come has been slept for already.
    static func untilNextMultiple(of period: Duration, nowNs: Int64) -> Duration {
        let length = max(1, period.nanoseconds)
        let left = length - nowNs % length
        return .nanoseconds(left < length / 4 ? left + length : left)
    }
}
