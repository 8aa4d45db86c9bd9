import Protocols

/// Messages by delivery class; a table without hashing, since every message passes by.
package struct ClassCounts: Sendable, Equatable {
    private var counts = SIMD8<UInt64>(repeating: 0)

    package init() {}

    package mutating func count(_ kind: DeliveryClass) { counts[Int(kind.rawValue) & 7] &+= 1 }

    package subscript(kind: DeliveryClass) -> UInt64 { counts[Int(kind.rawValue) & 7] }
}
