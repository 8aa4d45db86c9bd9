import Bus
import Foundation
import Music

/// What makes two mentions of a song, in two files, the same song: artist without guests, title without remarks, the
/// set of version words ("live", "remix"), and a length within ``durationTolerance``.
struct SongIdentity: Hashable {
    /// Two files of the same recording differ by less than this, in milliseconds.
    static let durationTolerance: Int64 = 2000

    /// All but the length, as one text.
    let key: String
    /// The title as written, folded: tells two remixes of a song apart.
    let foldedTitle: String

    init(title: String, artist: String) {
        let parts = TitleParts(title)
        let versions = parts.versions.map(\.rawValue).sorted().joined(separator: ",")
        let original = parts.standsInFor ?? ""
        key = [ArtistName(artist).withoutGuests, parts.base, versions, original].joined(separator: "\u{1F}")
        foldedTitle = folded(title)
    }

    /// For a file of which nothing is known but its place.
    init(location: String, title: String) {
        key = "\u{1F}location\u{1F}\(location)"
        foldedTitle = folded(title)
    }

    /// Lengths that may be of the same recording; an unknown one may be of any.
    static func sameLength(_ a: Int64?, _ b: Int64?) -> Bool {
        guard let a, let b else { return true }
        return abs(a - b) <= durationTolerance
    }

    /// A stable id from what identifies the thing: the same files give the same ids on every machine.
    static func id(of text: String) -> String {
        let digits = String(stableHash(text.utf8), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
