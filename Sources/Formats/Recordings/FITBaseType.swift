/// The types of FIT fields and their marks for "invalid" (FIT protocol, table 7 "FIT Base Types and Invalid Values").
enum FITBaseType: UInt8 {
    case enumeration = 0x00
    case sint8 = 0x01
    case uint8 = 0x02
    case sint16 = 0x03
    case uint16 = 0x04
    case sint32 = 0x05
    case uint32 = 0x06
    case string = 0x07
    case float32 = 0x08
    case float64 = 0x09
    case uint8z = 0x0A
    case uint16z = 0x0B
    case uint32z = 0x0C
    case byte = 0x0D
    case sint64 = 0x0E
    case uint64 = 0x0F
    case uint64z = 0x10

    /// Bit 7 only says that the byte order matters; an unknown type is read as plain bytes.
    init(wire: UInt8) { self = FITBaseType(rawValue: wire & 0x1F) ?? .byte }

    var size: Int {
        switch self {
        case .enumeration, .sint8, .uint8, .string, .uint8z, .byte: 1
        case .sint16, .uint16, .uint16z: 2
        case .sint32, .uint32, .float32, .uint32z: 4
        case .float64, .sint64, .uint64, .uint64z: 8
        }
    }

    /// Reads one value, or nil when it is marked invalid.
    ///
    /// - Parameter raw: the bytes of the value as an unsigned number.
    func value(_ raw: UInt64) -> FITValue? {
        switch self {
        case .enumeration, .uint8, .byte: raw == 0xFF ? nil : .integer(Int64(raw))
        case .uint16: raw == 0xFFFF ? nil : .integer(Int64(raw))
        case .uint32: raw == 0xFFFF_FFFF ? nil : .integer(Int64(raw))
        case .uint8z, .uint16z, .uint32z: raw == 0 ? nil : .integer(Int64(raw))
        case .sint8: raw == 0x7F ? nil : .integer(Int64(Int8(truncatingIfNeeded: raw)))
        case .sint16: raw == 0x7FFF ? nil : .integer(Int64(Int16(truncatingIfNeeded: raw)))
        case .sint32: raw == 0x7FFF_FFFF ? nil : .integer(Int64(Int32(truncatingIfNeeded: raw)))
        case .sint64: raw == 0x7FFF_FFFF_FFFF_FFFF ? nil : .integer(Int64(bitPattern: raw))
        case .uint64: raw == .max ? nil : Self.wide(raw)
        case .uint64z: raw == 0 ? nil : Self.wide(raw)
        case .float32: Self.finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw))))
        case .float64: Self.finite(Double(bitPattern: raw))
        case .string: nil
        }
    }

    private static func wide(_ raw: UInt64) -> FITValue {
        Int64(exactly: raw).map(FITValue.integer) ?? .number(Double(raw))
    }

    /// All bits set, the mark for "invalid", is a NaN.
    private static func finite(_ value: Double) -> FITValue? { value.isFinite ? .number(value) : nil }
}
