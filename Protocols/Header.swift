/// The 96 bytes in front of every body, little-endian, so that a hub routes without reading JSON.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | magic `RSN1` |
/// | 4 | 1 | header version, 1 |
/// | 5 | 1 | delivery class |
/// | 6 | 2 | schema major |
/// | 8 | 2 | schema minor |
/// | 10 | 2 | flags |
/// | 12 | 4 | TTL in ms, 0 = none |
/// | 16 | 8 | publisher epoch, random per start |
/// | 24 | 8 | sequence per publisher and topic, from 1 |
/// | 32 | 8 | wall time, Unix ns |
/// | 40 | 8 | time since boot of the hub's host, ns; 0 = unknown |
/// | 48 | 16 | W3C trace id |
/// | 64 | 8 | span id |
/// | 72 | 8 | hub epoch (stamped by the hub) |
/// | 80 | 8 | hub sequence (stamped by the hub) |
/// | 88 | 8 | correlation: request id, or 0 |
package struct Header: Hashable, Sendable {
    package static let byteCount = 96
    package static let magic: UInt32 = 0x314E_5352
    package static let version: UInt8 = 1

    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }
        /// The kept value was deleted; the body is empty.
        package static let tombstone = Flags(rawValue: 1)
        /// Comes from the hub's kept values, not from its publisher just now.
        package static let snapshot = Flags(rawValue: 2)
        /// Sent before; the receiver may have handled it.
        package static let redelivered = Flags(rawValue: 4)
        /// A reply that carries a ``Refusal``.
        package static let refused = Flags(rawValue: 8)
        /// Wall and monotonic time are virtual.
        package static let virtualTime = Flags(rawValue: 16)
    }

    package var deliveryClass: DeliveryClass
    package var schema: SchemaVersion
    package var flags: Flags
    package var ttlMs: UInt32
    package var epoch: UInt64
    package var sequence: UInt64
    package var wallNs: Int64
    package var monotonicNs: Int64
    package var traceHigh: UInt64
    package var traceLow: UInt64
    package var span: UInt64
    package var hubEpoch: UInt64
    package var hubSequence: UInt64
    package var correlation: UInt64

    package init(
        deliveryClass: DeliveryClass, schema: SchemaVersion, flags: Flags = [], ttlMs: UInt32 = 0, epoch: UInt64,
        sequence: UInt64, wallNs: Int64, monotonicNs: Int64, traceHigh: UInt64 = 0, traceLow: UInt64 = 0,
        span: UInt64 = 0, hubEpoch: UInt64 = 0, hubSequence: UInt64 = 0, correlation: UInt64 = 0
    ) {
        self.deliveryClass = deliveryClass
        self.schema = schema
        self.flags = flags
        self.ttlMs = ttlMs
        self.epoch = epoch
        self.sequence = sequence
        self.wallNs = wallNs
        self.monotonicNs = monotonicNs
        self.traceHigh = traceHigh
        self.traceLow = traceLow
        self.span = span
        self.hubEpoch = hubEpoch
        self.hubSequence = hubSequence
        self.correlation = correlation
    }
}
