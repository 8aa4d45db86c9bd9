import Bus
import Formats
import Foundation
import Logging
import Protocols
import ServiceKit

/// The watch: tells what its source senses, live and once more for keeping; shows the glance; passes on the wearer's
/// taps and turns.
package actor Watch: BusService {
    /// Seconds of samples in one `bio/batch`.
    static let batchSeconds = 30.0

    package nonisolated let subscriptions = ["music/now", "music/glance"]
    package nonisolated let tick = Duration.milliseconds(250)

    private let listener: String
    private let logger: Logger
    private let features: SongFeatures
    private let show: (@Sendable (String) -> Void)?
    private var source: any SampleSource
    private var batch = BioBatch()
    private var batchStartedAt: Timestamp?
    private var commands: [WatchCommand] = []
    private var hearing: String?

    /// - Parameters:
    ///   - features: tempo and energy of songs that the source may hear.
    ///   - show: writes a line for the wearer; nil = shows nothing.
    package init(
        source: any SampleSource, listener: String, logger: Logger, features: SongFeatures = .unknown,
        show: (@Sendable (String) -> Void)? = nil
    ) {
        self.source = source
        self.listener = listener
        self.logger = logger
        self.features = features
        self.show = show
    }

    /// Does at the next tick what the wearer wants.
    package func perform(_ command: WatchCommand) { commands.append(command) }

    package func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .tick:
            emit(source.samples(until: bus.now), bus: bus)
            if let batchStartedAt, bus.now.seconds(since: batchStartedAt) >= Self.batchSeconds { flush(bus: bus) }
            let waiting = commands
            commands = []
            for command in waiting { send(command, bus: bus) }
        case .message(let message):
            if let now = try? message.decode(Registry.now) { hear(now, bus: bus) }
            if let glance = try? message.decode(Registry.glance) { show?(Self.line(glance)) }
        case .request(let request):
            do throws(Refusal) {
                if let query = try request.decode(SenseDensely.self) {
                    request.reply(try sense(query, bus: bus))
                    return
                }
                guard request.name == DeleteData.name else {
                    throw Refusal(code: "unknown-request", message: "the sensor does not know '\(request.name)'")
                }
                let query = try request.decodeBody(DeleteData.self)
                guard query.confirmation == DeleteData.phrase else {
                    throw Refusal(code: "invalid", message: "confirm with '\(DeleteData.phrase)'")
                }
                batch = BioBatch()
                batchStartedAt = nil
                request.reply(Done(note: "samples that were not sent yet are gone"))
            } catch {
                request.refuse(error)
            }
        case .joined, .lost:
            break
        }
    }

    package func finish(bus: any BusPort) async { flush(bus: bus) }

    // MARK: - Samples

    private func emit(_ samples: [RecordedSample], bus: any BusPort) {
        for sample in samples {
            switch sample {
            case .heartRate(let sample):
                bus.publish(sample, on: Registry.heartRate(listener))
                batch.heartRate.append(sample)
            case .rr(let sample):
                bus.publish(sample, on: Registry.rr(listener))
                batch.rr.append(sample)
            case .motion(let sample):
                bus.publish(sample, on: Registry.motion(listener))
                batch.motion.append(sample)
            case .workout(let sample):
                bus.publish(sample, on: Registry.workout(listener))
                continue
            case .mood(let sample):
                bus.publish(sample, on: Registry.mood(listener))
                continue
            }
            if batchStartedAt == nil { batchStartedAt = sample.at }
        }
    }

    private func flush(bus: any BusPort) {
        defer {
            batch = BioBatch()
            batchStartedAt = nil
        }
        guard !(batch.heartRate.isEmpty && batch.rr.isEmpty && batch.motion.isEmpty) else { return }
        bus.publish(batch, on: Registry.bioBatch(listener))
    }

    /// Longest measurement that may be asked for, s.
    private static let senseSeconds = 10.0...600.0

    private func sense(_ query: SenseDensely, bus: any BusPort) throws(Refusal) -> SensingStarted {
        guard Self.senseSeconds.contains(query.seconds) else {
            throw Refusal(code: "invalid", message: "a measurement takes 10…600 s")
        }
        let end = bus.now.adding(seconds: query.seconds)
        return SensingStarted(source: try source.senseDensely(until: end, at: bus.now), endAt: end)
    }

    // MARK: - Music

    /// Lets the source hear the song as soon as its features are known: from the table, else from the librarian.
    private func hear(_ now: NowPlaying, bus: any BusPort) {
        guard now.playing, let song = now.song else {
            hearing = nil
            source.hear(nil, at: bus.now)
            return
        }
        guard hearing != song.id else { return }
        hearing = song.id
        let known = features.find(song)
        source.hear(
            HeardMusic(songId: song.id, tempoBpm: known?.tempoBpm, energy: known?.energy), at: bus.now)
        guard known == nil, features.asksLibrarian else { return }
        bus.ask(GetSong(song: song.id)) { [weak self] answer in
            if case .success(let reply) = answer { await self?.learn(reply.song, bus: bus) }
        }
    }

    private func learn(_ song: Song, bus: any BusPort) {
        guard hearing == song.id else { return }
        source.hear(HeardMusic(songId: song.id, tempoBpm: song.tempo?.bpm, energy: song.energy), at: bus.now)
    }

    static func line(_ glance: Glance) -> String {
        guard let title = glance.title else { return "nothing plays" }
        var parts = [glance.playing ? "playing" : "paused", title]
        if let artist = glance.artist { parts.append("by \(artist)") }
        if let reason = glance.shortReason { parts.append("(\(reason))") }
        return parts.joined(separator: " ")
    }

    // MARK: - Commands

    private func send(_ command: WatchCommand, bus: any BusPort) {
        switch command {
        case .play: ask(Play(), bus: bus)
        case .pause: ask(Pause(), bus: bus)
        case .resume: ask(Resume(), bus: bus)
        case .skip: ask(Skip(), bus: bus)
        case .previous: ask(Previous(), bus: bus)
        case .volume(let volume): ask(SetVolume(volume: volume), bus: bus)
        case .djMode(let on): ask(SetDJMode(on: on), bus: bus)
        case .mood(let mood, let energy):
            bus.publish(
                MoodInput(at: bus.now, mood: mood, energy: energy, via: "watch"), on: Registry.mood(listener))
        case .crown(let delta, let kind):
            bus.publish(Nudge(at: bus.now, delta: delta, kind: kind), on: Registry.nudge(listener))
        }
    }

    private func ask<Query: Request>(_ query: Query, bus: any BusPort) {
        bus.ask(query) { [show, logger] answer in
            guard case .failure(let refusal) = answer else { return }
            show?("\(Query.name): \(refusal.message)")
            logger.notice("command refused", metadata: ["request": "\(Query.name)", "code": "\(refusal.code)"])
        }
    }
}
