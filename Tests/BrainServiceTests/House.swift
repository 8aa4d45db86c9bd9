import BrainService
import Bus
import Foundation
import Logging
import PlayerService
import Protocols
import ServiceKit

/// A brain, a silent player and a librarian on a bus that only moves when the test says so.
final class House: Sendable {
    let bus: LockStep
    let directory: URL
    let environment: ServiceEnvironment

    static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    /// - Parameter start: local time in Berlin on Wednesday, 4 March 2026, as `HH:MM`.
    init(at start: String, seed: UInt64 = 7) throws {
        let parts = start.split(separator: ":").compactMap { Int64($0) }
        // 2026-03-03T23:00:00Z is midnight in Berlin.
        let midnight: Int64 = 1_772_578_800_000
        bus = LockStep(start: Timestamp(milliseconds: midnight + (parts[0] * 60 + parts[1]) * 60_000))
        directory = FileManager.default.temporaryDirectory.appending(path: "brain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        environment = ServiceEnvironment(
            process: .brain, seed: seed, timeZone: Self.berlin, dataDirectory: directory, logger: logger)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var start: Timestamp { bus.now }

    /// Starts all three, and the music with the playlist `All`.
    func moveIn(
        songs: [Song] = TestSongs.all(), playlists: [String] = ["All"], autoplay: Bool = true, failing: Set<String> = []
    ) async throws {
        bus.add(FakeLibrarian(["All": songs, "Few": Array(songs.prefix(3))]), as: .librarian)
        addPlayer(failing: failing)
        try addBrain(playlists: playlists, autoplay: autoplay)
    }

    func addPlayer(failing: Set<String> = []) {
        bus.add(
            StubPlayer(listener: "me", logger: environment.logger, failing: failing), as: "player-stub",
            roles: [.player])
    }

    func addBrain(playlists: [String] = ["All"], autoplay: Bool = true) throws {
        bus.add(
            try buildBrain(environment, BrainOptions(playlists: playlists, autoplay: autoplay)), as: .brain)
    }

    /// What is usual for the person of these tests.
    func tellBaseline() {
        bus.publish(
            Baseline(
                at: bus.now, lnRmssdMean: 3.7, lnRmssdSd: 0.3, sdnnMs: 50, restingBpm: 55, maximumBpm: 185,
                stillBpmMean: 68, stillBpmSd: 6, stillBpmByHour: [Double?](repeating: nil, count: 24), nights: 30,
                stillMinutes: 5000, since: nil, confidence: 0.9, sources: []),
            on: Registry.baseline())
    }

    /// Lets time pass in steps while the body sends what it is told to.
    func live(
        minutes: Double, bpm: Double? = nil, moving activity: MotionActivity = .stationary, intensity: Double = 0.02,
        desktop: DesktopContext? = nil, step: Int64 = 5
    ) async {
        let steps = Int((minutes * 60 / Double(step)).rounded())
        for index in 0..<steps {
            let now = bus.now
            if let bpm {
                for second in 0..<step {
                    let at = now.adding(milliseconds: second * 1000)
                    // A little variation, so that nothing rests on exact equality.
                    let wave = sin(Double(at.milliseconds) / 17_000) * 1.5
                    bus.publish(HeartRate(at: at, bpm: bpm + wave, source: "test"), on: Registry.heartRate())
                }
                bus.publish(Motion(at: now, intensity: intensity, steps: 0, activity: activity), on: Registry.motion())
            }
            if var desktop, index % 6 == 0 {
                desktop.at = now
                bus.publish(desktop, on: Registry.desktop())
            }
            await bus.step(to: now.adding(milliseconds: step * 1000))
        }
    }

    func status() async throws -> BrainStatusReply { try await bus.request(BrainStatus()) }

    func decisions(since moment: Timestamp? = nil) throws -> [DecisionMade] {
        try bus.messages(of: Registry.decision).filter { decision in moment.map { decision.at >= $0 } ?? true }
    }

    func states() throws -> [StateVector] { try bus.messages(of: Registry.state) }
    func played() throws -> [Played] { try bus.messages(of: Registry.played) }

    /// Plays as the brain told them: what has started, in order.
    func started() throws -> [String] {
        try bus.messages(of: Registry.playerEvent).filter { $0.kind == .started }.compactMap(\.songId)
    }
}
