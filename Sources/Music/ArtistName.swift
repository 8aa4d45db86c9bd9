import Foundation

/// An artist credit taken apart.
package struct ArtistName: Hashable, Sendable {
    /// The credit before any guest ("A feat. B" counts as A), folded.
    package let withoutGuests: String
    /// Its first name where the credit lists several ("A & B", "A, B"), folded; nil for a single name. Whether the list
    /// is a list or a band's name ("Earth, Wind & Fire") only the library can tell.
    package let first: String?

    package init(_ credit: String) {
        let head = Self.cut(
            credit, at: [" feat. ", " feat ", " ft. ", " ft ", " featuring ", " (feat", " (ft", "[feat"])
        let leading = Self.cut(head, at: [";", " / "])
        withoutGuests = folded(leading)
        let one = Self.cut(leading, at: [", ", " & ", " and ", " x ", " vs. ", " vs ", " with ", " + "])
        first = one.count < leading.count ? folded(one) : nil
    }

    private static func cut(_ text: String, at marks: [String]) -> String {
        var end = text.endIndex
        for mark in marks {
            if let range = text.range(of: mark, options: .caseInsensitive), range.lowerBound < end,
                range.lowerBound > text.startIndex
            {
                end = range.lowerBound
            }
        }
        return String(text[..<end])
    }
}
