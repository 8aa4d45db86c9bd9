import ArgumentParser
import Foundation
import LibrarianService
import Protocols
import ServiceKit

/// Keeps the listener's own music: songs, playlists, features, corrections.
@main
struct Librarian: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "librarian", abstract: "Keeps the listener's own music: songs, playlists, features, corrections.")

    @OptionGroup var options: ServiceOptions

    @Option(
        help: ArgumentHelp(
            "A library, playlist, table of features, or directory of them to import at the start; may be repeated.",
            valueName: "path"))
    var library: [String] = []

    @Option(help: .hidden) var thumbnail: Int?

    func run() async throws {
        if let thumbnail { throw ExitCode(ThumbnailMaker.runChild(pixels: thumbnail)) }
        let libraries = library.map { URL(filePath: $0).standardizedFileURL.path(percentEncoded: false) }
        try await runService(.librarian, options) { environment in
            try buildLibrarian(
                environment, libraries: libraries,
                thumbnailer: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath())
        }
    }
}
