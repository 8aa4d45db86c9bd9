import Bus
import Dispatch
import Foundation
import Logging
import Physiology
import Protocols
import ServiceKit
import Store

extension BodyKeeper {
    /// Files of one import at most: a slip that names a whole disk is noticed.
    private static let mostFiles = 20_000

    var importState: BodyImportState { job?.progress ?? BodyImportState(phase: Open(.idle)) }

    /// - Throws: ``Refusal`` `busy` that names the import under way, `invalid` for paths that are none.
    func startImport(_ query: StartBodyImport, bus: any BusPort) throws -> BodyImportState {
        guard !query.paths.isEmpty, query.paths.count <= Self.mostFiles else {
            throw Refusal(code: "invalid", message: "name 1…\(Self.mostFiles) files")
        }
        if let wrong = query.paths.first(where: { !$0.hasPrefix("/") }) {
            throw Refusal(code: "invalid", message: "import needs absolute paths, got “\(wrong.prefix(200))”")
        }
        let state = importState
        if state.isRunning {
            let name = state.path.map { " of \(URL(filePath: $0).lastPathComponent)" } ?? ""
            throw Refusal(
                code: "busy",
                message:
                    "an import\(name) is under way (file \(state.fileNumber) of \(state.fileCount)): wait for it, see "
                    + "`resonance body import --status`, or end it with `resonance body import --cancel`")
        }
        let job = BodyImportJob(fileCount: query.paths.count)
        self.job = job
        let work = BodyImport(
            store: store, reader: reader, job: job, now: bus.now, timeZone: clock.timeZone,
            version: "\(ResonanceVersion.current) \(clock.timeZone.identifier)")
        let computation = computation
        let (paths, again) = (query.paths, query.again ?? false)
        importing = Task { [weak self, imports] in
            let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
                imports.async {
                    continuation.resume(
                        returning: Result {
                            try work.run(paths, again: again)
                            try job.beginComputing()
                            try computation.run(at: work.now, minutes: true, job: job)
                        })
                }
            }
            await self?.imported(result, by: job, bus: bus)
        }
        return job.progress
    }

    private func imported(_ result: Result<Void, any Error>, by job: BodyImportJob, bus: any BusPort) {
        switch result {
        case .success:
            job.end(.done)
            let files = job.progress.report?.files ?? []
            logger.info(
                "imported",
                metadata: ["files": "\(files.count)", "refused": "\(files.count { $0.error != nil })"])
        case .failure(let error):
            if error is CancellationError {
                logger.notice("import cancelled", metadata: ["file": "\(job.progress.fileNumber)"])
                job.end(.cancelled)
            } else {
                logger.error("import failed", metadata: ["error": "\(type(of: error))"])
                job.end(.failed, failure: "\(error)")
            }
        }
        do { try publishLongView(bus: bus) } catch {
            logger.error("what was computed could not be published", metadata: ["error": "\(type(of: error))"])
        }
    }

    func cancelImport() -> BodyImportState {
        job?.cancel()
        return importState
    }

    /// Ends an import and waits until it has written its last.
    func endImport() async {
        job?.cancel()
        await importing?.value
    }
}
