import Protocols

/// What the process says to a script when it ends; the numbers are those of `sysexits.h` where one fits.
enum CommandStatus: Int32, CaseIterable {
    case ok = 0
    /// The command worked and the answer is a finding or a no: doctor found something, there is no such song.
    case finding = 1
    /// The command line was not understood.
    case usage = 64
    /// A file was read and its content is not what it should be.
    case badData = 65
    /// A file is missing or cannot be read.
    case noInput = 66
    /// The hub or the process that should answer is not there.
    case unavailable = 69
    /// A process failed, or does not know the question.
    case software = 70
    /// A file or directory could not be written.
    case cannotCreate = 73
    /// No answer in time: try again.
    case tryAgain = 75
    /// The other side speaks a newer version.
    case version = 76
    /// Refused, or not confirmed.
    case notAllowed = 77
}

extension CommandStatus {
    init(_ refusal: Refusal) {
        switch refusal.code {
        case "unknown-process", "unavailable": self = .unavailable
        case "deadline": self = .tryAgain
        case "not-allowed": self = .notAllowed
        case "version": self = .version
        case "internal", "unknown-request": self = .software
        default: self = .finding
        }
    }
}

/// Why a command ends without an answer: the cause, what to do about it, and the exit status.
struct CommandFailure: Error, Equatable {
    var status: CommandStatus
    var cause: String
    var cure: String?

    init(_ status: CommandStatus, _ cause: String, cure: String? = nil) {
        self.status = status
        self.cause = cause
        self.cure = cure
    }

    init(_ refusal: Refusal) {
        status = CommandStatus(refusal)
        cause = refusal.message
        cure =
            switch status {
            case .unavailable: "see what is missing with `resonance doctor`; start everything with `deploy/up`"
            case .tryAgain: "try again, or wait longer with --timeout SECONDS"
            case .version: "build and restart everything from one checkout: `deploy/build`, then `deploy/up`"
            default: nil
            }
    }

    /// As it stands on standard error.
    var lines: [String] { ["resonance: \(cause)"] + (cure.map { ["           \($0)"] } ?? []) }
}
