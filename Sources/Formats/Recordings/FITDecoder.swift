import Protocols

/// Decodes the bytes of a FIT file: chained segments, both byte orders, compressed timestamps, developer fields.
///
/// Source: Garmin FIT SDK, "Flexible & Interoperable Data Transfer (FIT) Protocol", revision 2.4.
struct FITDecoder {
    private struct FieldDefinition {
        var number: UInt8
        var size: Int
        var type: FITBaseType
        var profile: FITProfile.Field
    }

    private struct DeveloperDefinition {
        var number: UInt8
        var size: Int
        var index: UInt8
    }

    private struct Definition {
        var message: UInt16
        var bigEndian: Bool
        var fields: [FieldDefinition]
        var developerFields: [DeveloperDefinition]
    }

    private struct DeveloperKey: Hashable {
        var index: UInt8
        var number: UInt8
    }

    private struct DeveloperField {
        var name: String
        var type: FITBaseType
        var scale: Double
        var offset: Double
    }

    /// The first damage that was met; everything in `messages` stands before it, or in a sound segment after a wrong
    /// checksum.
    private(set) var damage: FormatError?
    private(set) var messages: [FITMessage] = []
    private let bytes: [UInt8]
    private let file: String
    private var position = 0
    private var definitions: [UInt8: Definition] = [:]
    private var developer: [DeveloperKey: DeveloperField] = [:]
    private var lastTimestamp: UInt32 = 0
    private var distance16: UInt32 = 0

    init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
    }

    /// Reads segment after segment until the end or the first damage.
    mutating func run() {
        guard !bytes.isEmpty else {
            damage = failure(0, "is empty", "copy it from the device again")
            return
        }
        do throws(FormatError) {
            while position < bytes.count { try segment() }
        } catch {
            damage = damage ?? error
        }
    }

    // MARK: - Segments

    private mutating func segment() throws(FormatError) {
        let start = position
        guard bytes.count - start >= 12 else {
            throw failure(
                start, "\(bytes.count - start) bytes are left where a FIT header of 12 or 14 must begin", again)
        }
        let headerSize = Int(bytes[start])
        guard headerSize == 12 || headerSize >= 14, bytes.count - start >= headerSize,
            bytes[(start + 8)..<(start + 12)].elementsEqual(".FIT".utf8)
        else { throw failure(start, "no FIT header begins here", start == 0 ? "give a FIT file" : again) }
        if headerSize >= 14 {
            let stored = UInt16(truncatingIfNeeded: number(at: start + 12, size: 2, bigEndian: false))
            if stored != 0, stored != Self.checksum(bytes[start..<(start + 12)]) {
                throw failure(start + 12, "the checksum (CRC) of the header is wrong", again)
            }
        }
        let size = Int(number(at: start + 4, size: 4, bigEndian: false))
        let end = start + headerSize + size
        position = start + headerSize
        definitions.removeAll()
        developer.removeAll()
        distance16 = 0
        while position < min(end, bytes.count) { try record(before: min(end, bytes.count)) }
        guard end + 2 <= bytes.count else {
            throw failure(bytes.count, "the file ends \(end + 2 - bytes.count) bytes too early", again)
        }
        let stored = UInt16(truncatingIfNeeded: number(at: end, size: 2, bigEndian: false))
        if stored != Self.checksum(bytes[start..<end]), damage == nil {
            damage = failure(end, "the checksum (CRC) of the data before is wrong", again)
        }
        position = end + 2
    }

    private mutating func record(before end: Int) throws(FormatError) {
        let header = bytes[position]
        let start = position
        position += 1
        if header & 0x80 != 0 {
            // Compressed timestamp: five bits that roll over every 32 s.
            let offset = UInt32(header & 0x1F)
            lastTimestamp &+= (offset &- lastTimestamp) & 0x1F
            try data(local: (header >> 5) & 0x03, start: start, end: end, compressed: true)
        } else if header & 0x40 != 0 {
            try definition(local: header & 0x0F, hasDeveloperFields: header & 0x20 != 0, start: start, end: end)
        } else {
            try data(local: header & 0x0F, start: start, end: end, compressed: false)
        }
    }

    private mutating func definition(
        local: UInt8, hasDeveloperFields: Bool, start: Int, end: Int
    ) throws(FormatError) {
        try need(5, start: start, end: end)
        let bigEndian = bytes[position + 1] == 1
        guard bytes[position + 1] <= 1 else {
            throw failure(start, "a definition names the unknown byte order \(bytes[position + 1])", again)
        }
        let message = UInt16(truncatingIfNeeded: number(at: position + 2, size: 2, bigEndian: bigEndian))
        let count = Int(bytes[position + 4])
        position += 5
        try need(count * 3, start: start, end: end)
        var fields: [FieldDefinition] = []
        for index in 0..<count {
            let at = position + index * 3
            let type = FITBaseType(wire: bytes[at + 2])
            let size = Int(bytes[at + 1])
            fields.append(
                FieldDefinition(
                    number: bytes[at], size: size, type: size % type.size == 0 ? type : .byte,
                    profile: FITProfile.field(message, bytes[at])))
        }
        position += count * 3
        var developerFields: [DeveloperDefinition] = []
        if hasDeveloperFields {
            try need(1, start: start, end: end)
            let count = Int(bytes[position])
            position += 1
            try need(count * 3, start: start, end: end)
            for index in 0..<count {
                let at = position + index * 3
                developerFields.append(
                    DeveloperDefinition(number: bytes[at], size: Int(bytes[at + 1]), index: bytes[at + 2]))
            }
            position += count * 3
        }
        definitions[local] = Definition(
            message: message, bigEndian: bigEndian, fields: fields, developerFields: developerFields)
    }

    // MARK: - Messages

    private mutating func data(local: UInt8, start: Int, end: Int, compressed: Bool) throws(FormatError) {
        guard let definition = definitions[local] else {
            throw failure(start, "a message of local type \(local) has no definition before it", again)
        }
        let size =
            definition.fields.reduce(0) { $0 + $1.size } + definition.developerFields.reduce(0) { $0 + $1.size }
        try need(size, start: start, end: end)
        var message = FITMessage(number: definition.message, fields: [])
        message.fields.reserveCapacity(definition.fields.count)
        if compressed {
            message.fields.append(FITField(number: 253, name: "timestamp", value: Self.time(Int64(lastTimestamp))))
        }
        for field in definition.fields {
            if field.number == 253, field.size == 4 {
                let raw = UInt32(truncatingIfNeeded: number(at: position, size: 4, bigEndian: definition.bigEndian))
                if raw != .max { lastTimestamp = raw }
            }
            if let raw = value(field.type, size: field.size, bigEndian: definition.bigEndian) {
                if definition.message == 20, field.number == 8 {
                    message.fields += expandSpeedAndDistance(raw)
                } else {
                    message.fields.append(
                        FITField(
                            number: field.number, name: field.profile.name, value: Self.scaled(raw, field.profile)))
                }
            }
            position += field.size
        }
        for field in definition.developerFields {
            defer { position += field.size }
            guard let known = developer[DeveloperKey(index: field.index, number: field.number)] else { continue }
            let type = field.size % known.type.size == 0 ? known.type : .byte
            guard let raw = value(type, size: field.size, bigEndian: definition.bigEndian) else { continue }
            let scale = FITProfile.Field(name: known.name, scale: known.scale, offset: known.offset)
            message.fields.append(FITField(number: 255, name: known.name, value: Self.scaled(raw, scale)))
        }
        if message.number == 206 { describe(message) }
        messages.append(message)
    }

    /// Remembers what a `field_description` message says about later developer fields.
    private mutating func describe(_ message: FITMessage) {
        guard let index = message["developer_data_index"]?.integer,
            let number = message["field_definition_number"]?.integer,
            let type = message["fit_base_type_id"]?.integer
        else { return }
        let key = DeveloperKey(index: UInt8(truncatingIfNeeded: index), number: UInt8(truncatingIfNeeded: number))
        let name = message["field_name"]?.elements.first?.text ?? "developer_\(index)_\(number)"
        let scale = message["scale"]?.double ?? 1
        developer[key] = DeveloperField(
            name: name, type: FITBaseType(wire: UInt8(truncatingIfNeeded: type)), scale: scale == 0 ? 1 : scale,
            offset: -(message["offset"]?.double ?? 0))
    }

    /// Components of `compressed_speed_distance`: 12 bits of speed in 1/100 m/s, 12 bits of distance in 1/16 m that
    /// roll over and are added up.
    private mutating func expandSpeedAndDistance(_ raw: FITValue) -> [FITField] {
        let cells = raw.elements.compactMap(\.integer)
        guard cells.count == 3 else { return [] }
        let bits = UInt32(truncatingIfNeeded: cells[0] | cells[1] << 8 | cells[2] << 16)
        distance16 &+= ((bits >> 12) &- distance16) & 0xFFF
        return [
            FITField(number: 6, name: "speed", value: .number(Double(bits & 0xFFF) / 100)),
            FITField(number: 5, name: "distance", value: .number(Double(distance16) / 16)),
        ]
    }

    // MARK: - Values

    private func value(_ type: FITBaseType, size: Int, bigEndian: Bool) -> FITValue? {
        guard size > 0 else { return nil }
        if type == .string {
            let cells = bytes[position..<(position + size)].split(separator: 0).map {
                String(decoding: $0, as: UTF8.self)
            }
            if cells.count > 1 { return .list(cells.map { .text($0) }) }
            return cells.first.map { .text($0) }
        }
        if size == type.size { return type.value(number(at: position, size: size, bigEndian: bigEndian)) }
        if type == .byte {
            let cells = bytes[position..<(position + size)]
            return cells.allSatisfy { $0 == 0xFF } ? nil : .list(cells.map { .integer(Int64($0)) })
        }
        let values = stride(from: position, to: position + size, by: type.size).map {
            type.value(number(at: $0, size: type.size, bigEndian: bigEndian))
        }
        return values.contains { $0 != nil } ? .list(values) : nil
    }

    private static func scaled(_ raw: FITValue, _ field: FITProfile.Field) -> FITValue {
        switch raw {
        case .list(let values): return .list(values.map { $0.map { scaled($0, field) } })
        case .integer(let value):
            if field.isTime { return time(value) }
            if let enumeration = field.enumeration, let name = FITProfile.name(value, of: enumeration) {
                return .text(name)
            }
            if field.scale == 1, field.offset == 0 { return raw }
            return .number(Double(value) / field.scale + field.offset)
        case .number(let value): return .number(value / field.scale + field.offset)
        case .text, .time: return raw
        }
    }

    /// FIT time counts seconds from 1989-12-31T00:00:00Z; values below 0x10000000 count from the device's power-up.
    private static func time(_ seconds: Int64) -> FITValue {
        seconds < 0x1000_0000 ? .integer(seconds) : .time(Timestamp(milliseconds: (seconds + 631_065_600) * 1000))
    }

    private func number(at start: Int, size: Int, bigEndian: Bool) -> UInt64 {
        var result: UInt64 = 0
        for index in 0..<size {
            let byte = UInt64(bytes[start + (bigEndian ? index : size - 1 - index)])
            result = result << 8 | byte
        }
        return result
    }

    private let again = "copy it from the device again"

    private func need(_ count: Int, start: Int, end: Int) throws(FormatError) {
        guard end - position >= count else {
            throw failure(
                start, "a message begins here that needs \(count) bytes where \(end - position) are left", again)
        }
    }

    private func failure(_ offset: Int, _ cause: String, _ cure: String) -> FormatError {
        FormatError(file: file, place: .byte(offset), cause: cause, cure: cure)
    }

    /// CRC-16 (polynomial 0x8005 reflected, start 0), half a byte at a time as in the protocol's own listing.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var crc: UInt16 = 0
        for byte in bytes {
            crc = (crc >> 4) ^ Self.crcTable[Int(crc & 0xF)] ^ Self.crcTable[Int(byte & 0xF)]
            crc = (crc >> 4) ^ Self.crcTable[Int(crc & 0xF)] ^ Self.crcTable[Int(byte >> 4)]
        }
        return crc
    }

    private static let crcTable: [UInt16] = [
        0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01,
        0x8801, 0x4400,
    ]
}
