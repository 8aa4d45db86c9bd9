import ArgumentParser
import Foundation
import Protocols

struct SongsCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "songs", abstract: "List songs of the library.",
        discussion: """
            Example: resonance songs --search joy
            Example: resonance songs --playlist "Deep Focus" --all --json | jq length
            """)

    /// Songs per question to the librarian.
    private static let page = 500

    @Option(help: "Only songs whose title, artist or album holds this text.") var search: String?
    @Option(help: "Only songs of this playlist; repeat for several.") var playlist: [String] = []
    @Option(help: "At most so many songs.") var limit = 50
    @Option(help: "Leave out so many songs at the beginning.") var offset = 0
    @Flag(help: "All songs, however many.") var all = false
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        guard limit > 0, offset >= 0 else { throw ValidationError("--limit must be above 0 and --offset not below 0") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        var answer: SongPage?
        let wanted = all ? Int.max : limit
        while true {
            let have = answer?.songs.count ?? 0
            let page = try await household.request(
                ListSongs(
                    playlists: playlist.isEmpty ? nil : playlist, search: search, offset: offset + have,
                    limit: min(Self.page, wanted - have)))
            if var whole = answer {
                whole.songs += page.songs
                answer = whole
            } else {
                answer = page
                if !page.missing.isEmpty {
                    throw CommandFailure(
                        .finding, "there is no playlist named \(page.missing.joined(separator: ", "))",
                        cure: "see `resonance playlists`")
                }
            }
            let got = answer?.songs.count ?? 0
            if page.songs.isEmpty || got >= wanted || offset + got >= page.total { break }
            terminal.progress("\(got) of \(page.total) songs")
        }
        terminal.endProgress()
        guard let answer else { return }
        try terminal.answer(answer, json: output.json) { lines(answer, terminal) }
    }

    private func lines(_ page: SongPage, _ terminal: Terminal) -> [String] {
        guard !page.songs.isEmpty else { return ["No song found."] }
        var table = TextTable([
            .text("title"), .text("artist"), .figure("length"), .figure("tempo"), .figure("energy"),
            .figure("valence"), .word("id"),
        ])
        for song in page.songs {
            table.add(
                song.title, song.artist, song.durationMs.map { Wording.clock($0) } ?? "–", Wording.bpm(song.tempo?.bpm),
                Wording.decimal(song.energy), Wording.decimal(song.valence), song.id)
        }
        let end = page.offset + page.songs.count
        let rest =
            end < page.total || page.offset > 0
            ? ["\(page.offset + 1)–\(end) of \(page.total); more with --offset or --all"] : []
        return table.lines(width: terminal.width, style: terminal.style) + rest
    }
}

struct SongCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "song", abstract: "Show everything that is known about a song.",
        discussion: "Example: resonance song blue monday")

    @Argument(help: "Id of a song, or part of its title.") var song: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let reply = try await household.request(GetSong(song: song.joined(separator: " ")))
        try terminal.answer(reply, json: output.json) { reply.lines(terminal) }
    }
}

/// A feature that the listener may correct.
enum Correctable: String, ExpressibleByArgument, CaseIterable { case tempo, energy, valence, moods }

struct CorrectCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the tempo, energy, valence or mood of a song.",
        discussion: """
            A correction survives every import, until it is taken back with --clear.

            Example: resonance correct "blue monday" --tempo 130 --energy 0.8
            Example: resonance correct "blue monday" --mood driving --mood dark
            Example: resonance correct "blue monday" --clear tempo
            """)

    @Argument(help: "Id of a song, or part of its title.") var song: [String]
    @Option(help: "Beats per minute, 20…300.") var tempo: Double?
    @Option(help: "0…1.") var energy: Double?
    @Option(help: "0…1, 0 = sad, 1 = happy.") var valence: Double?
    @Option(help: "A mood word; repeat for several.") var mood: [String] = []
    @Option(help: "Take a correction back; repeat for several.") var clear: [Correctable] = []
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        if tempo == nil, energy == nil, valence == nil, mood.isEmpty, clear.isEmpty {
            throw ValidationError("say what to correct: --tempo, --energy, --valence, --mood or --clear")
        }
        if let tempo, !(20...300).contains(tempo) { throw ValidationError("--tempo \(tempo): must be 20…300") }
        if let energy, !(0...1).contains(energy) { throw ValidationError("--energy \(energy): must be 0…1") }
        if let valence, !(0...1).contains(valence) { throw ValidationError("--valence \(valence): must be 0…1") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let reply = try await household.request(
            CorrectSong(
                song: song.joined(separator: " "), tempoBpm: tempo, energy: energy, valence: valence,
                moods: mood.isEmpty ? nil : mood, clear: clear.map(\.rawValue)))
        try terminal.answer(reply, json: output.json) { reply.lines(terminal) }
    }
}

enum ArtSize: Int, ExpressibleByArgument, CaseIterable { case small = 80, large = 300 }

struct ArtCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "art", abstract: "Write the cover of a song's album into a file.",
        discussion: "Example: resonance art blue monday --size 300 --output cover.jpg")

    @Argument(help: "Id of a song, or part of its title.") var song: [String]
    @Option(help: "Pixels of each side.") var size: ArtSize = .large
    @Option(
        name: [.long, .short],
        help: ArgumentHelp("File to write, which must not exist; - is standard output.", valueName: "file"))
    var output: String
    @Flag(help: "Overwrite the file.") var force = false
    @Flag(help: "Write one JSON document with sorted keys instead of text.") var json = false
    @OptionGroup(title: "Common options") var bus: BusOptions

    private struct Written: Encodable {
        var bytes: Int
        var file: String
        var height: Int
        var mediaType: String
        var width: Int
    }

    func validate() throws {
        if json, output == "-" { throw ValidationError("--json and --output - both want standard output") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let art = try await household.request(GetArt(song: song.joined(separator: " "), pixels: size.rawValue))
        guard let picture = Data(base64Encoded: art.base64) else {
            throw CommandFailure(.software, "the librarian sent a picture that is not base64")
        }
        if output == "-" { return try FileHandle.standardOutput.write(contentsOf: picture) }
        do {
            let options: Data.WritingOptions = force ? [.atomic] : [.withoutOverwriting]
            try picture.write(to: URL(filePath: output), options: options)
        } catch {
            throw CommandFailure(
                .cannotCreate, "cannot write \(output): \(error.localizedDescription)",
                cure: "choose another file, or --force to overwrite")
        }
        let written = Written(
            bytes: picture.count, file: output, height: art.height, mediaType: art.mediaType, width: art.width)
        try terminal.answer(written, json: json) {
            ["\(output): \(art.mediaType), \(art.width) × \(art.height), \(Wording.bytes(Int64(picture.count)))"]
        }
    }
}

extension SongReply {
    func lines(_ terminal: Terminal) -> [String] {
        var rows: [(String, String)] = [("id", song.id)]
        func row(_ name: String, _ value: String?) {
            if let value, !value.isEmpty {
                rows.append((name, value + (song.corrected.contains(name) ? "  (yours)" : "")))
            }
        }
        row("album", song.album)
        row("album artist", song.albumArtist)
        row("genres", song.genres.joined(separator: ", "))
        row("year", song.year.map(String.init))
        row("length", song.durationMs.map { Wording.clock($0) })
        let tempo = song.tempo.map { tempo in
            let others = tempo.candidates.filter { $0.bpm != tempo.bpm }.map {
                "\(Wording.bpm($0.bpm)) \(Wording.percent($0.probability))"
            }
            let doubt = "from \(tempo.source), confidence \(Wording.percent(tempo.confidence))"
            return "\(Wording.decimal(tempo.bpm, 1)) BPM, \(([doubt] + others).joined(separator: "; "))"
        }
        row("tempo", tempo ?? "unknown")
        row("energy", song.energy.map { Wording.decimal($0) } ?? "unknown")
        row("valence", song.valence.map { Wording.decimal($0) } ?? "unknown")
        row("instrumentalness", song.instrumentalness.map { Wording.decimal($0) })
        row("density", song.acousticDensity.map { Wording.decimal($0) })
        row("acousticness", song.acousticness.map { Wording.decimal($0) })
        row("danceability", song.danceability.map { Wording.decimal($0) })
        row("speechiness", song.speechiness.map { Wording.decimal($0) })
        row("loudness", song.loudnessLufs.map { "\(Wording.decimal($0, 1)) LUFS" })
        row("key", song.key)
        row("moods", song.moods.joined(separator: ", "))
        row("playlists", playlists.joined(separator: ", "))
        row("plays", song.playCount.map { "\($0) in the library it came from" })
        row("file", song.location)
        if !song.playable { row("playable", "no: the file is missing or disabled") }
        row("cover", song.hasArt ? "yes; `resonance art`" : nil)
        let title = terminal.style.bold("\(song.title) — \(song.artist)".printable)
        return [title] + rows.map { "  \(Wording.pad($0.0, to: 17))\($0.1.printable)" }
    }
}
