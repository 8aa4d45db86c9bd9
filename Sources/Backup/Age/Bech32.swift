/// Text of a key with a check sum: Bech32 as in BIP 173, without its limit of 90 characters.
///
/// Source: https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]

    /// Lower-case text of `bytes` with the prefix `name`.
    static func encode(_ name: String, _ bytes: [UInt8]) -> String {
        let groups = regroup(bytes, from: 8, to: 5, pad: true) ?? []
        let sum = polymod(expand(name) + groups + [0, 0, 0, 0, 0, 0]) ^ 1
        let check = (0..<6).map { UInt8(truncatingIfNeeded: (sum >> (5 * (5 - UInt32($0)))) & 31) }
        return name + "1" + String(decoding: (groups + check).map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Prefix (in lower case) and bytes, or nil when the text has mixed case, foreign letters or a wrong sum.
    static func decode(_ text: String) -> (name: String, bytes: [UInt8])? {
        let lower = text.lowercased()
        guard text == lower || text == text.uppercased(), lower.utf8.allSatisfy({ (33...126).contains($0) }),
            let one = lower.lastIndex(of: "1"), one > lower.startIndex
        else { return nil }
        let name = String(lower[..<one])
        var groups: [UInt8] = []
        for letter in lower[lower.index(after: one)...].utf8 {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            groups.append(UInt8(value))
        }
        guard groups.count >= 6, polymod(expand(name) + groups) == 1,
            let bytes = regroup(Array(groups.dropLast(6)), from: 5, to: 8, pad: false)
        else { return nil }
        return (name, bytes)
    }

    private static func polymod(_ values: [UInt8]) -> UInt32 {
        var sum: UInt32 = 1
        for value in values {
            let top = sum >> 25
            sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
            for bit in 0..<5 where (top >> UInt32(bit)) & 1 == 1 { sum ^= generator[bit] }
        }
        return sum
    }

    private static func expand(_ name: String) -> [UInt8] {
        name.utf8.map { $0 >> 5 } + [0] + name.utf8.map { $0 & 31 }
    }

    private static func regroup(_ values: [UInt8], from: UInt32, to: UInt32, pad: Bool) -> [UInt8]? {
        var (bits, count) = (UInt32(0), UInt32(0))
        var result: [UInt8] = []
        for value in values {
            bits = (bits << from | UInt32(value)) & 0xfff
            count += from
            while count >= to {
                count -= to
                result.append(UInt8((bits >> count) & ((1 << to) - 1)))
            }
        }
        let rest = UInt8((bits << (to - count)) & ((1 << to) - 1))
        if pad {
            if count > 0 { result.append(rest) }
        } else if count >= from || rest != 0 {
            return nil
        }
        return result
    }
}
