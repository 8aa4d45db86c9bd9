import Foundation

/// Words that make another recording of the same song.
package enum VersionWord: String, Codable, Hashable, Sendable, CaseIterable {
    case live, remix, remaster, karaoke, acoustic, demo, instrumental, cover, edit, extended, version, mono, stereo
    case acappella, tribute, rerecorded, alternate, spedUp, slowed, session, reprise, orchestral
}

/// A title taken apart: the song, and which version of it this is.
package struct TitleParts: Hashable, Sendable {
    /// Folded title without version remarks, guests and release remarks.
    package let base: String
    package let versions: Set<VersionWord>
    /// The artist that a karaoke or tribute recording stands in for, folded; nil for any other.
    package let standsInFor: String?

    /// Takes `title` apart: remarks in brackets and after " - " count as version remarks only when they hold a version
    /// word, so that "(I Can't Get No) Satisfaction" and "Live and Let Die" stay whole.
    package init(_ title: String) {
        var kept: [String] = []
        var versions: Set<VersionWord> = []
        var original: String?
        for (index, segment) in Self.segments(of: title).enumerated() {
            let text = folded(segment.text)
            if let artist = Self.artistStoodInFor(text) {
                original = artist
                versions.insert(.karaoke)
                continue
            }
            guard index > 0 || segment.bracketed else {
                kept.append(Self.withoutGuests(text))
                continue
            }
            let words = text.split(separator: " ").map(String.init)
            let found = Self.versionWords(in: words)
            if !found.isEmpty {
                versions.formUnion(found)
            } else if !Self.isRemark(words) {
                kept.append(text)
            }
        }
        let base = kept.filter { !$0.isEmpty }.joined(separator: " ")
        self.base = base.isEmpty ? folded(title) : base
        self.versions = versions
        standsInFor = original
    }

    /// The parts of a title: the head, what stands in brackets, what follows " - ".
    private static func segments(of title: String) -> [(text: String, bracketed: Bool)] {
        var result: [(text: String, bracketed: Bool)] = []
        var current = ""
        var depth = 0
        func flush(bracketed: Bool) {
            let text = current.trimmingCharacters(in: .whitespaces)
            if !text.isEmpty { result.append((text, bracketed)) }
            current = ""
        }
        for character in title.replacing(" – ", with: " - ").replacing(" — ", with: " - ") {
            switch character {
            case "(", "[", "{":
                if depth == 0 { flush(bracketed: false) } else { current.append(" ") }
                depth += 1
            case ")", "]", "}":
                guard depth > 0 else { continue }
                depth -= 1
                if depth == 0 { flush(bracketed: true) } else { current.append(" ") }
            default:
                current.append(character)
                if depth == 0, current.hasSuffix(" - ") {
                    current.removeLast(3)
                    flush(bracketed: false)
                }
            }
        }
        flush(bracketed: depth > 0)
        return result
    }

    private static func versionWords(in words: [String]) -> Set<VersionWord> {
        var found: Set<VersionWord> = []
        for (index, word) in words.enumerated() {
            let next = index + 1 < words.count ? words[index + 1] : ""
            switch word {
            case "live", "unplugged", "concert": found.insert(.live)
            case "remix", "rmx", "mix", "remixed", "rework", "bootleg", "vip", "dub": found.insert(.remix)
            case "remaster", "remastered", "remastering": found.insert(.remaster)
            case "karaoke", "playback": found.insert(.karaoke)
            case "acoustic", "akustik", "stripped": found.insert(.acoustic)
            case "demo", "demos", "rough", "outtake": found.insert(.demo)
            case "instrumental", "instrumentals": found.insert(.instrumental)
            case "cover": found.insert(.cover)
            case "edit": found.insert(.edit)
            case "extended": found.insert(.extended)
            case "version", "ver", "versions", "fassung": found.insert(.version)
            case "mono": found.insert(.mono)
            case "stereo": found.insert(.stereo)
            case "acapella", "acappella": found.insert(.acappella)
            case "a" where next == "cappella" || next == "capella": found.insert(.acappella)
            case "tribute": found.insert(.tribute)
            case "rerecorded", "rerecording": found.insert(.rerecorded)
            case "re" where next == "recorded" || next == "recording": found.insert(.rerecorded)
            case "alternate", "alternative": found.insert(.alternate)
            case "sped" where next == "up": found.insert(.spedUp)
            case "nightcore": found.insert(.spedUp)
            case "slowed": found.insert(.slowed)
            case "session", "sessions": found.insert(.session)
            case "reprise": found.insert(.reprise)
            case "orchestral", "symphonic": found.insert(.orchestral)
            default: continue
            }
        }
        return found
    }

    /// Remarks that say nothing about the recording: guests, release forms, the film it was made for.
    private static func isRemark(_ words: [String]) -> Bool {
        guard let first = words.first else { return true }
        if ["feat", "ft", "featuring", "with", "prod", "bonus", "explicit", "clean", "deluxe"].contains(first) {
            return true
        }
        if words.allSatisfy({ ["single", "album", "ep", "original", "soundtrack", "ost", "edition"].contains($0) }) {
            return true
        }
        let text = words.joined(separator: " ")
        return text.hasPrefix("from the ") || text.hasPrefix("from ") && text.contains("soundtrack")
            || text.contains("motion picture") || text.contains("original soundtrack")
    }

    private static func withoutGuests(_ text: String) -> String {
        for mark in [" feat ", " ft ", " featuring "] {
            if let range = text.range(of: mark) { return String(text[..<range.lowerBound]) }
        }
        return text
    }

    private static func artistStoodInFor(_ text: String) -> String? {
        for mark in [
            "originally performed by ", "in the style of ", "made famous by ", "as made famous by ", "tribute to ",
        ] {
            if let range = text.range(of: mark) { return String(text[range.upperBound...]) }
        }
        return nil
    }
}
