/// A small generator whose numbers follow from its seed alone, on every machine.
///
/// Source: S. Vigna, "splitmix64.c" (public domain), after Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator, Codable, Hashable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Another stream of the same seed, for something that has a name.
    package init(seed: UInt64, name: String) {
        // FNV-1a: Swift's own hash differs from run to run.
        state = name.utf8.reduce(0xCBF2_9CE4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        state = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension RandomNumberGenerator {
    /// Uniform in 0..<1 with 53 bits, the same on every platform.
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Standard normal, by the sum of twelve uniforms: tails end at 6, which suits a body.
    package mutating func normal() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + uniform() } }
}
