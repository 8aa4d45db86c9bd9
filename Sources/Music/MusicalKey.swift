import Foundation

/// A key on the circle of fifths.
package struct MusicalKey: Hashable, Sendable {
    /// Steps of a fifth from C major or A minor, 0…11.
    package let fifths: Int
    package let isMinor: Bool

    package init(fifths: Int, isMinor: Bool) {
        self.fifths = ((fifths % 12) + 12) % 12
        self.isMinor = isMinor
    }

    /// Reads `C`, `F#m`, `Bb`, `A minor`, `E♭ major` and Camelot codes such as `8A`; nil for anything else.
    package init?(_ text: String) {
        let word = text.trimmingCharacters(in: .whitespaces)
        guard let head = word.first else { return nil }
        if head.isNumber {
            guard let letter = word.last, let number = Int(word.dropLast()), (1...12).contains(number),
                "aAbB".contains(letter)
            else { return nil }
            // Camelot 8B is C major, 8A is A minor.
            self.init(fifths: number - 8, isMinor: "aA".contains(letter))
            return
        }
        guard let natural = ["F": -1, "C": 0, "G": 1, "D": 2, "A": 3, "E": 4, "B": 5][head.uppercased()] else {
            return nil
        }
        var rest = word.dropFirst()
        var fifths = natural
        while let sign = rest.first, "#♯b♭".contains(sign) {
            fifths += "#♯".contains(sign) ? 7 : -7
            rest = rest.dropFirst()
        }
        let mode = rest.trimmingCharacters(in: .whitespaces)
        switch mode {
        case "", "M": self.init(fifths: fifths, isMinor: false)
        case "m": self.init(fifths: fifths - 3, isMinor: true)
        default:
            switch mode.lowercased() {
            case "maj", "major", "dur": self.init(fifths: fifths, isMinor: false)
            case "min", "minor", "moll": self.init(fifths: fifths - 3, isMinor: true)
            default: return nil
            }
        }
    }

    /// 0…23, for tables.
    package var index: Int { fifths * 2 + (isMinor ? 1 : 0) }

    package static let count = 24

    package init(index: Int) { self.init(fifths: index / 2, isMinor: index % 2 == 1) }

    /// 1 for the same key, falling by a sixth per step on the circle of fifths, a tenth less across modes: 0…1.
    ///
    /// Source: the distance AudioMuse-AI orders playlists by (fifths / 6, factor for a change of mode).
    package func compatibility(with other: MusicalKey) -> Double {
        let apart = abs(fifths - other.fifths)
        let steps = Double(min(apart, 12 - apart))
        return (1 - steps / 6) * (isMinor == other.isMinor ? 1 : 0.9)
    }
}
