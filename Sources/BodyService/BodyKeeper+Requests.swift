import Bus
import Foundation
import Logging
import Physiology
import Protocols
import Store

extension BodyKeeper {
    /// Longest window of an HRV question, and messages of beats that it may hold.
    private static let longestHRVSeconds = 7 * 86_400.0
    private static let longestHRVMessages = 700_000
    private static let largestSeries = 100_000

    /// Answers every question, if only with why not.
    func answer(_ request: IncomingRequest, bus: any BusPort) async {
        do {
            try await tryAnswer(request, bus: bus)
        } catch let refusal as Refusal {
            request.refuse(refusal)
        } catch let error as StoreError {
            request.refuse(Refusal(code: "unavailable", message: "\(error)"))
        } catch {
            logger.error("request failed", metadata: ["request": "\(request.name)"])
            request.refuse(Refusal(code: "internal", message: "\(request.name) failed: \(error)"))
        }
    }

    private func tryAnswer(_ request: IncomingRequest, bus: any BusPort) async throws {
        if try request.decode(GetProfile.self) != nil {
            request.reply(profile)
        } else if let query = try request.decode(SetProfile.self) {
            request.reply(try set(query.name, to: query.value, bus: bus))
        } else if try request.decode(GetBaseline.self) != nil {
            request.reply(try computeBaseline(at: bus.now))
        } else if let query = try request.decode(GetHRV.self) {
            request.reply(try hrv(query))
        } else if let query = try request.decode(GetSeries.self) {
            request.reply(try series(query))
        } else if request.name == ExportData.name {
            let path = try request.decodeBody(ExportData.self).path
            guard path.hasPrefix("/") else {
                throw Refusal(code: "invalid", message: "export needs an absolute path, got “\(path.prefix(200))”")
            }
            request.reply(Exported(path: path, rows: try store.file.exportRows(to: path)))
        } else if request.name == BackUpData.name {
            let path = try request.decodeBody(BackUpData.self).path
            guard path.hasPrefix("/") else {
                throw Refusal(code: "invalid", message: "backup needs an absolute path, got “\(path.prefix(200))”")
            }
            try store.file.backup(to: path)
            request.reply(BackedUp(path: path))
        } else if request.name == DeleteData.name {
            guard try request.decodeBody(DeleteData.self).confirmation == DeleteData.phrase else {
                throw Refusal(code: "not-allowed", message: "to delete, confirm with “\(DeleteData.phrase)”")
            }
            try await deleteAll(bus: bus)
            request.reply(Done(note: "every sample, workout, mood and the profile are deleted"))
        } else if let query = try request.decode(StartBodyImport.self) {
            request.reply(try startImport(query, bus: bus))
        } else if try request.decode(GetBodyImport.self) != nil {
            request.reply(importState)
        } else if try request.decode(CancelBodyImport.self) != nil {
            request.reply(cancelImport())
        } else {
            try await answerLongView(request, bus: bus)
        }
    }

    /// Each of these answers a family of requests.
    private func answerLongView(_ request: IncomingRequest, bus: any BusPort) async throws {
        if try answerSettings(request) { return }
        if try await answerBattery(request, bus: bus) { return }
        if try answerStress(request, bus: bus) { return }
        if try await answerHistory(request, bus: bus) { return }
        guard try await answerJournal(request, bus: bus) else {
            throw Refusal(code: "unknown-request", message: "body has no request “\(request.name)”")
        }
    }

    private func hrv(_ query: GetHRV) throws -> HRVReport {
        let seconds = query.to.seconds(since: query.from)
        guard seconds > 0, seconds <= Self.longestHRVSeconds else {
            throw Refusal(code: "invalid", message: "the window must be longer than 0 and at most 7 days")
        }
        guard let messages = try store.beats(from: query.from, to: query.to, limit: Self.longestHRVMessages) else {
            throw Refusal(code: "invalid", message: "the window holds too many beats; ask for a shorter one")
        }
        let analysis = HRVAnalysis.report(BeatSeries(messages: messages))
        return HRVReport(
            n: analysis.n, meanNnMs: analysis.meanNnMs, sdnnMs: analysis.sdnnMs, rmssdMs: analysis.rmssdMs,
            pnn50Percent: analysis.pnn50Percent, correctedRmssdMs: analysis.correctedRmssdMs,
            correctedShare: analysis.n == 0 ? nil : analysis.correctedShare, usable: analysis.isUsable,
            gaps: analysis.gaps)
    }

    private func series(_ query: GetSeries) throws -> Series {
        guard let kind = SeriesKind(rawValue: query.kind) else {
            let kinds = SeriesKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(
                code: "invalid", message: "there is no series “\(query.kind.prefix(40))”; there are \(kinds)")
        }
        guard (1...Self.largestSeries).contains(query.limit) else {
            throw Refusal(code: "invalid", message: "limit must be 1…\(Self.largestSeries)")
        }
        let limit = min(query.limit, ReplySize.points)
        let points = try store.series(kind, from: query.from, to: query.to, limit: limit)
        return Series(kind: query.kind, points: Array(points.prefix(limit)), truncated: points.count > limit)
    }
}
