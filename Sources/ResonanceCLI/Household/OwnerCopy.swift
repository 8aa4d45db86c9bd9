import Protocols

/// Has a process copy its own database, however long that takes, and does not wait for one that stands still.
struct OwnerCopy {
    let household: any Household
    let terminal: Terminal
    /// How long an owner, or the hub, may say nothing.
    var patience = BackupCollection.patience
    /// Between two looks at it.
    var pause = Duration.seconds(1)
    /// A copy of everything a person has takes minutes at most.
    static let longest = Duration.seconds(3600)

    private enum Outcome: Sendable {
        case answer(Result<BackedUp, Refusal>)
        case standstill(CommandFailure)
    }

    /// - Parameters:
    ///   - name: of the database, for the person who waits.
    ///   - path: of the copy.
    /// - Throws: the owner's ``Refusal``; ``CommandFailure`` that names who stands still.
    func ask(_ owner: ProcessName, for name: String, to path: String) async throws {
        let household = household
        let (answers, sink) = AsyncStream.makeStream(of: Result<BackedUp, Refusal>.self)
        // Nobody can take a question back: when the wait is given up, it ends with this process.
        let question = Task {
            do throws(Refusal) {
                let done: BackedUp = try await household.request(
                    owner, BackUpData.name, BackUpData(path: path), deadline: Self.longest)
                sink.yield(.success(done))
            } catch {
                sink.yield(.failure(error))
            }
            sink.finish()
        }
        defer { question.cancel() }
        let outcome = await withTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                for await answer in answers { return .answer(answer) }
                return nil
            }
            group.addTask { await watch(owner, name) }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        switch outcome {
        case .answer(let result): _ = try result.get()
        case .standstill(let failure): throw failure
        case nil: throw CancellationError()
        }
    }

    private func watch(_ owner: ProcessName, _ name: String) async -> Outcome? {
        let clock = ContinuousClock()
        let begin = clock.now
        var hubHeard = begin
        while true {
            do { try await clock.sleep(for: pause) } catch { return nil }
            let waited = Wording.age((clock.now - begin) / .seconds(1))
            var state = ""
            if case .success(let table) = await household.attempt(HubPeers(), deadline: .seconds(2)) {
                hubHeard = clock.now
                if let failure = Self.standstill(of: owner, in: table, patience: patience) {
                    return .standstill(failure)
                }
                if table.processes.contains(where: { $0.process == owner && $0.life == .silent }) {
                    state = ", it says nothing"
                }
            } else if clock.now - hubHeard > patience {
                return .standstill(
                    CommandFailure(
                        .unavailable, "the hub has not answered for \(Wording.age(patience / .seconds(1)))",
                        cure: "nothing was written; \(RestartWords.command("hub", supervised: false))"))
            }
            terminal.progress("copying \(name): waiting for \(owner) since \(waited)\(state) …")
        }
    }

    /// Why it is no use to go on waiting for a process; nil while it is.
    static func standstill(
        of owner: ProcessName, in table: ProcessTable, patience: Duration
    ) -> CommandFailure? {
        guard let row = table.processes.first(where: { $0.process == owner }), row.life == .silent,
            row.silentSeconds >= patience / .seconds(1)
        else { return nil }
        return CommandFailure(
            .unavailable,
            "\(owner) did not copy its data: nothing was heard of it for \(Wording.age(row.silentSeconds)), it is frozen",
            cure: "nothing was written; \(RestartWords.command(owner.rawValue, supervised: row.wanted != nil))")
    }
}
