import Foundation

/// Turns text into the form that two spellings of the same title or name share: lower case, without accents,
/// punctuation or repeated spaces; `&` reads as `and`.
///
/// Only combining marks of the block "Combining Diacritical Marks" (U+0300…U+036F) go, so that Japanese voicing
/// marks, Hangul and the vowel signs of Indic scripts keep their meaning.
package func folded(_ text: String) -> String {
    if let fast = foldedASCII(text) { return fast }
    var scalars = String.UnicodeScalarView()
    var pendingSpace = false
    func append(_ scalar: Unicode.Scalar) {
        if pendingSpace, !scalars.isEmpty { scalars.append(" ") }
        pendingSpace = false
        scalars.append(scalar)
    }
    for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
        switch scalar.value {
        case 0x300...0x36F, 0x27, 0x2019, 0x2018, 0x60, 0xB4: continue
        case 0x26:
            pendingSpace = true
            "and".unicodeScalars.forEach(append)
            pendingSpace = true
        default:
            if let plain = latinLetters[scalar] {
                plain.unicodeScalars.forEach(append)
            } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.generalCategory == .spacingMark
                || scalar.properties.generalCategory == .nonspacingMark
            {
                append(scalar)
            } else {
                pendingSpace = true
            }
        }
    }
    let result = String(scalars).precomposedStringWithCanonicalMapping
    // A title of nothing but signs ("?", "!!!") still needs a name of its own.
    return result.isEmpty ? text.lowercased() : result
}

/// Letters that Unicode does not decompose into a base letter and a mark.
private let latinLetters: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "ħ": "h",
]

/// The same for text that is ASCII throughout, which most is; nil for any other.
private func foldedASCII(_ text: String) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var pendingSpace = false
    func append(_ byte: UInt8) {
        if pendingSpace, !bytes.isEmpty { bytes.append(0x20) }
        pendingSpace = false
        bytes.append(byte)
    }
    for byte in text.utf8 {
        switch byte {
        case 0x80...: return nil
        case 0x41...0x5A: append(byte + 0x20)
        case 0x61...0x7A, 0x30...0x39: append(byte)
        case 0x27, 0x60: continue
        case 0x26:
            pendingSpace = true
            "and".utf8.forEach(append)
            pendingSpace = true
        default: pendingSpace = true
        }
    }
    return bytes.isEmpty ? text.lowercased() : String(decoding: bytes, as: UTF8.self)
}
