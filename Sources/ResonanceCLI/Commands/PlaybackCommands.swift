import ArgumentParser
import Protocols

struct PlayCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Go on playing, or play a song now.",
        discussion: """
            The song must be in the chosen playlists. Without a song the current one goes on, or the DJ starts.

            Example: resonance play
            Example: resonance play blue monday
            """)

    @Argument(help: "Id of a song, or part of its title.") var song: [String] = []
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        if song.isEmpty {
            return try await household.obey(Play(songId: nil), terminal, json: output.json, else: "playing")
        }
        try await household.withSong(song) { id in
            try await household.obey(Play(songId: id), terminal, json: output.json, else: "playing")
        }
    }
}

struct PauseCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause.", discussion: "Example: resonance pause")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.obey(Pause(), terminal, json: output.json, else: "paused")
    }
}

struct ResumeCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Go on after a pause.", discussion: "Example: resonance resume")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.obey(Resume(), terminal, json: output.json, else: "playing")
    }
}

struct SkipCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "End this song now; the DJ learns from it.",
        discussion: """
            In the first 5 seconds a skip is browsing and teaches nothing.

            Example: resonance skip
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.obey(Skip(), terminal, json: output.json, else: "skipped")
    }
}

struct PreviousCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "previous", abstract: "Back to the start of the song, or to the one before it.",
        discussion: """
            Within the first 5 seconds of a song it goes to the one before.

            Example: resonance previous
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.obey(Previous(), terminal, json: output.json, else: "back")
    }
}

/// A place in a song: `83`, `1:23`, `1:02:03`.
struct SongPosition: ExpressibleByArgument, Equatable {
    var milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last.flatMap({ Double($0) }), last >= 0, last < 86400
        else { return nil }
        guard parts.count == 1 || last < 60 else { return nil }
        var seconds = last
        var unit = 60.0
        for (index, part) in parts.dropLast().reversed().enumerated() {
            guard let number = Int(part), number >= 0, number < (index == parts.count - 2 ? 1000 : 60) else {
                return nil
            }
            seconds += Double(number) * unit
            unit *= 60
        }
        milliseconds = Int64((seconds * 1000).rounded())
    }
}

struct SeekCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Jump to a place in the song.",
        discussion: """
            Example: resonance seek 1:23
            Example: resonance seek 83.5
            """)

    @Argument(help: "Seconds, or M:SS, or H:MM:SS.") var position: SongPosition
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.obey(
            Seek(positionMs: position.milliseconds), terminal, json: output.json,
            else: "at \(Wording.clock(position.milliseconds))")
    }
}

/// A volume: `60`, `60%` or `0.6`. A lone `1` could be either scale and is refused.
struct Loudness: ExpressibleByArgument, Equatable {
    /// 0…1.
    var fraction: Double

    init(fraction: Double) { self.fraction = fraction }

    init?(argument: String) {
        let percent = argument.hasSuffix("%")
        guard let number = Double(percent ? String(argument.dropLast()) : argument), number >= 0, argument != "1" else {
            return nil
        }
        fraction = !percent && argument.contains(".") && number <= 1 ? number : number / 100
        guard fraction <= 1 else { return nil }
    }
}

struct VolumeCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Set the volume, or ask for it.",
        discussion: """
            Example: resonance volume 60
            Example: resonance volume 0.6
            """)

    @Argument(help: "0…100 (percent), or a fraction with a point as 0.6; write 1% or 100, not 1.") var volume: Loudness?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    private struct Level: Encodable { var volume: Double }

    func run(in household: any Household, on terminal: Terminal) async throws {
        guard let volume else {
            let level = Level(volume: try await household.request(PlayerStatusQuery()).volume)
            return try terminal.answer(level, json: output.json) { ["volume \(Wording.percent(level.volume))"] }
        }
        try await household.obey(
            SetVolume(volume: volume.fraction), terminal, json: output.json,
            else: "volume \(Wording.percent(volume.fraction))")
    }
}
