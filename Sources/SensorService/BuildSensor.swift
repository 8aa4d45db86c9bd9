import Formats
import Logging
import Protocols
import ServiceKit

/// Which samples a sensor tells.
package enum SensorSource: Sendable {
    /// A simulated body; `plan` is a file, `effects` lets it hear the music.
    case simulate(plan: String?, effects: Bool)
    /// Recordings by path.
    case replay(files: [String], startAt: Timestamp?, from: Timestamp?, to: Timestamp?, loop: Bool)
}

/// Puts a sensor together.
///
/// - Parameters:
///   - features: path of a features CSV with the songs that a simulated body may hear; without it the librarian is asked.
///   - show: writes a line for the wearer.
///   - reveal: is told the hidden effect of every song that the simulated body hears.
/// - Throws: ``FormatError`` or ``DayPlanError`` that names the file.
package func buildSensor(
    _ environment: ServiceEnvironment, source: SensorSource, features: String? = nil,
    show: (@Sendable (String) -> Void)? = nil,
    reveal: (@Sendable (HeardMusic, HiddenEffects.Effect) -> Void)? = nil
) throws -> Watch {
    switch source {
    case .simulate(let plan, let effects):
        let body = SimulatedBody(
            seed: environment.seed, timeZone: environment.timeZone, plan: try plan.map { try DayPlan.read(path: $0) },
            effects: effects ? HiddenEffects(seed: environment.seed) : nil, reveal: reveal)
        return Watch(
            source: body, listener: environment.listener, logger: environment.logger,
            features: try features.map { path throws(FormatError) in try SongFeatures(path: path) }
                ?? (effects ? .librarian : .unknown),
            show: show)
    case .replay(let files, let startAt, let from, let to, let loop):
        var recordings: [Recording] = []
        for file in files {
            let recording = try Recording(path: file)
            environment.logger.info(
                "recording read",
                metadata: [
                    "kind": "\(recording.kind)", "samples": "\(recording.samples.count)",
                    "leftOut": "\(recording.leftOut)",
                ])
            recordings.append(recording)
        }
        return Watch(
            source: ReplaySource(recordings, startAt: startAt, from: from, to: to, loop: loop),
            listener: environment.listener, logger: environment.logger, show: show)
    }
}
