/// Why 96 bytes are no header.
package enum HeaderError: Error, Equatable, CustomStringConvertible {
    case wrongLength(got: Int)
    case wrongMagic(UInt32)
    case newerVersion(UInt8)
    case unknownClass(UInt8)

    package var description: String {
        switch self {
        case .wrongLength(let got): "a header has \(Header.byteCount) bytes, this one \(got)"
        case .wrongMagic(let magic): "no Resonance message: it begins with 0x\(String(magic, radix: 16))"
        case .newerVersion(let version):
            "header version \(version), this program knows \(Header.version): update it"
        case .unknownClass(let value): "delivery class \(value) is unknown"
        }
    }
}

extension Header {
    /// Reads the 96 bytes of the table above.
    ///
    /// - Throws: ``HeaderError``; nothing about the bytes is trusted.
    package init(bytes: UnsafeRawBufferPointer) throws(HeaderError) {
        guard bytes.count == Self.byteCount else { throw .wrongLength(got: bytes.count) }
        func load<Value: FixedWidthInteger>(_ offset: Int, _ type: Value.Type) -> Value {
            Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
        }
        guard load(0, UInt32.self) == Self.magic else { throw .wrongMagic(load(0, UInt32.self)) }
        guard bytes[4] == Self.version else { throw .newerVersion(bytes[4]) }
        guard let deliveryClass = DeliveryClass(rawValue: bytes[5]) else { throw .unknownClass(bytes[5]) }
        self.init(
            deliveryClass: deliveryClass,
            schema: SchemaVersion(major: load(6, UInt16.self), minor: load(8, UInt16.self)),
            flags: Flags(rawValue: load(10, UInt16.self)), ttlMs: load(12, UInt32.self),
            epoch: load(16, UInt64.self), sequence: load(24, UInt64.self), wallNs: load(32, Int64.self),
            monotonicNs: load(40, Int64.self), traceHigh: load(48, UInt64.self), traceLow: load(56, UInt64.self),
            span: load(64, UInt64.self), hubEpoch: load(72, UInt64.self), hubSequence: load(80, UInt64.self),
            correlation: load(88, UInt64.self))
    }

    package init(bytes: [UInt8]) throws(HeaderError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(HeaderError) in try Header(bytes: buffer) }
        }
        self = try result.get()
    }

    /// Writes the 96 bytes.
    ///
    /// - Parameter bytes: at least ``byteCount`` long.
    package func encode(into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount)
        func store(_ value: some FixedWidthInteger, _ offset: Int) {
            bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value.littleEndian))
        }
        store(Self.magic, 0)
        store(Self.version, 4)
        store(deliveryClass.rawValue, 5)
        store(schema.major, 6)
        store(schema.minor, 8)
        store(flags.rawValue, 10)
        store(ttlMs, 12)
        store(epoch, 16)
        store(sequence, 24)
        store(wallNs, 32)
        store(monotonicNs, 40)
        store(traceHigh, 48)
        store(traceLow, 56)
        store(span, 64)
        store(hubEpoch, 72)
        store(hubSequence, 80)
        store(correlation, 88)
    }

    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            encode(into: UnsafeMutableRawBufferPointer(buffer))
            count = Self.byteCount
        }
    }
}
