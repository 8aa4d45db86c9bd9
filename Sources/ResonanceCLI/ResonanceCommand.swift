import ArgumentParser
import ServiceKit

/// The operator's tool: ask, tell, look, import, export, check.
struct ResonanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resonance", abstract: "Your private DJ: ask it, tell it, look inside.",
        discussion: """
            Every command has --json and --help.

            Exit codes: 0 done, 1 a finding or a no, 64 usage, 65 bad data, 66 no such file,
            69 hub or process absent, 75 try again, 77 not allowed; all of them in docs/cli.md.
            """,
        version: ResonanceVersion.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Look",
                subcommands: [
                    StatusCommand.self, Now.self, Watch.self, WhyThis.self, WhyNotThat.self, QueueCommand.self,
                    HistoryCommand.self, SessionsCommand.self, EffectsCommand.self,
                ]),
            CommandGroup(
                name: "Steer",
                subcommands: [
                    Mood.self, ContextCommand.self, DJModeCommand.self, NudgeCommand.self, UseCommand.self,
                    NextCommand.self,
                    ProposeCommand.self, UndoCommand.self,
                ]),
            CommandGroup(
                name: "Play",
                subcommands: [
                    PlayCommand.self, PauseCommand.self, ResumeCommand.self, SkipCommand.self, PreviousCommand.self,
                    SeekCommand.self, VolumeCommand.self,
                ]),
            CommandGroup(
                name: "Music",
                subcommands: [
                    PlaylistsCommand.self, SongsCommand.self, SongCommand.self, CorrectCommand.self, ArtCommand.self,
                    LibraryCommand.self, InspectCommand.self,
                ]),
            CommandGroup(
                name: "You",
                subcommands: [
                    BodyCommands.self, ProfileCommand.self, PrefsCommand.self, ExportCommand.self, BackupCommand.self,
                    RestoreCommand.self, SecretCommand.self, DeleteAllCommand.self,
                ]),
            CommandGroup(
                name: "Machinery",
                subcommands: [
                    DoctorCommand.self, ProcessesCommand.self, WaitReadyCommand.self, TopicsCommand.self,
                    InfoCommand.self,
                    HzCommand.self, BandwidthCommand.self, TailCommand.self,
                    PairCommand.self, UnpairCommand.self, DeadLettersCommand.self, ConsumersCommand.self,
                    SpoolCommand.self, ConductCommand.self, VersionCommand.self,
                ]),
        ])
}
