import Foundation

/// Why a file of somebody else's format could not be read: where, what is wrong there, and what helps.
package struct FormatError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where in the file the trouble was noticed.
    package enum Place: Equatable, Sendable {
        /// The file as a whole.
        case file
        /// Counted from 1.
        case line(Int)
        /// Counted from 0.
        case byte(Int)
    }

    /// Path, or the name that the bytes were given.
    package var file: String
    package var place: Place
    /// What is wrong, without a full stop.
    package var cause: String
    /// What the reader of the message can do, without a full stop.
    package var cure: String

    package init(file: String, place: Place = .file, cause: String, cure: String) {
        self.file = file
        self.place = place
        self.cause = cause
        self.cure = cure
    }

    /// `file, line 3: cause; cure`.
    package var description: String {
        let location =
            switch place {
            case .file: file
            case .line(let number): "\(file), line \(number)"
            case .byte(let offset): "\(file), byte \(offset)"
            }
        return "\(location): \(cause); \(cure)"
    }
}

extension String {
    /// Without what a message quotes of a file, from the first quotation mark to the last: a log holds no titles.
    package var withoutQuotations: String {
        guard let first = firstIndex(of: "'"), let last = lastIndex(of: "'"), first < last else { return self }
        return "\(self[...first])…\(self[last...])"
    }
}

extension FormatError: LocalizedError {
    package var errorDescription: String? { description }
}
