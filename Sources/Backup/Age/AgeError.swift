/// Why an age file cannot be opened.
package enum AgeError: Error, Equatable, CustomStringConvertible {
    /// The first bytes are not those of an age file.
    case notAge
    /// An age file of a version that this build has never heard of.
    case unknownVersion(String)
    /// The header breaks the format; `reason` quotes nothing of the file.
    case malformed(reason: String)
    /// No stanza of the header opens with this passphrase or key.
    case wrongKey
    /// The key fits, but the header is not the one that was written.
    case headerChanged
    /// A passphrase whose derivation would take more memory than is granted: `2^logN` KiB.
    case tooExpensive(logN: Int)
    /// The file ends before its last chunk does, or that one is damaged: the two look the same.
    case truncated
    /// A chunk is not the one that was written at this place; counted from 0.
    case damaged(chunk: Int)
    /// A recipient or an identity is not written as it should be.
    case badKey(reason: String)

    package var description: String {
        switch self {
        case .notAge: "it is not an age file"
        case .unknownVersion(let line): "it is an age file of the unknown version “\(line)”"
        case .malformed(let reason): "its header is broken: \(reason)"
        case .wrongKey: "the passphrase or key is not the one that it was written with"
        case .headerChanged: "its header was changed after it was written"
        case .tooExpensive(let logN): "its passphrase takes 2^\(logN) KiB of memory to check, more than is granted"
        case .truncated: "it ends too early, or its last part is damaged"
        case .damaged(let chunk): "its bytes were changed, moved or damaged (chunk \(chunk))"
        case .badKey(let reason): "the key is not well-formed: \(reason)"
        }
    }
}
