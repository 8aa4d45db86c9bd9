import ArgumentParser
import Foundation
import Glibc
import Music
import Protocols

/// Runs one command line: what `main` of the executable calls.
package enum ResonanceTool {
    /// Runs the command and ends the process with its status.
    package static func main(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) async -> Never {
        umask(0o077)
        do {
            if let failure = CommandNames.failure(of: arguments) { throw failure }
            var command = try ResonanceCommand.parseAsRoot(CommandLineText.normalised(arguments))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            exit(CommandStatus.ok.rawValue)
        } catch {
            guard let failure = failure(of: error) else { ResonanceCommand.exit(withError: error) }
            let terminal = Terminal.standard()
            terminal.endProgress()
            failure.lines.forEach { terminal.note($0) }
            exit(failure.status.rawValue)
        }
    }

    /// What went wrong, unless the argument parser knows better how to say it.
    static func failure(of error: any Error) -> CommandFailure? {
        switch error {
        case let failure as CommandFailure: failure
        case let refusal as Refusal: CommandFailure(refusal)
        case is CancellationError: CommandFailure(.tryAgain, "interrupted")
        default: nil
        }
    }
}

/// The words of a command line, before they are parsed.
enum CommandLineText {
    /// Writes a lone negative number with a minus sign, since a hyphen would make it an option: `nudge -0.3`.
    static func normalised(_ arguments: [String]) -> [String] {
        arguments.map { word in
            guard word.hasPrefix("-"),
                word.dropFirst().first.map({ $0.isASCII && ($0.isNumber || $0 == ".") }) ?? false,
                Double(word) != nil
            else { return word }
            return "\u{2212}" + word.dropFirst()
        }
    }
}

/// What commands there are, for a person who mistyped one.
enum CommandNames {
    static var all: [String] {
        ResonanceCommand.configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases } + ["help"]
    }

    /// - Returns: nil unless the first word is meant as a command and is none.
    static func failure(of arguments: [String]) -> CommandFailure? {
        guard let word = arguments.first, !word.hasPrefix("-"), !all.contains(word) else { return nil }
        let near = CloseWords.nearest(to: word, among: Set(all), limit: 2).map { "`resonance \($0)`" }
        return CommandFailure(
            .usage, "there is no command \(word)".printable,
            cure: near.isEmpty ? "see `resonance --help`" : "did you mean \(near.joined(separator: " or "))?")
    }
}
