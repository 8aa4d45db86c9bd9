import Protocols

/// One record of the outbox file: an event, or the acknowledgement of one.
///
/// On disk, little-endian: `u32` length of the payload, `u64` FNV-1a of the payload, payload. Payload of an event:
/// `1`, `u16` length and bytes of the topic, 96 bytes header, body. Of an acknowledgement: `2`, the same topic and
/// header (of the event), then the name of the consumer.
enum OutboxRecord {
    case event(Received)
    case ack(EventID, by: ProcessName)

    static let prefixCount = 12
    /// A longer record cannot be one.
    static let maximumPayload = 4 << 20

    var bytes: [UInt8] {
        let payload: [UInt8] =
            switch self {
            case .event(let message): [1] + Self.text(message.topic) + message.header.bytes + message.body
            case .ack(let id, let consumer):
                [2] + Self.text(id.topic) + Self.number(id.epoch) + Self.number(id.sequence)
                    + Array(consumer.rawValue.utf8)
            }
        return Self.number(UInt32(payload.count)) + Self.number(stableHash(payload)) + payload
    }

    private static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func text(_ value: String) -> [UInt8] {
        let bytes = Array(value.utf8.prefix(Int(UInt16.max)))
        return number(UInt16(bytes.count)) + bytes
    }

    /// Reads records up to the first that is torn or damaged.
    ///
    /// - Returns: the records, and how many bytes of the file they take.
    static func parse(_ file: [UInt8]) -> (records: [OutboxRecord], length: Int) {
        var records: [OutboxRecord] = []
        var offset = 0
        file.withUnsafeBytes { raw in
            while offset + prefixCount <= raw.count {
                let length = Int(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                let sum = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt64.self))
                let start = offset + prefixCount
                guard length > 0, length <= maximumPayload, start + length <= raw.count else { return }
                let payload = UnsafeRawBufferPointer(rebasing: raw[start..<(start + length)])
                guard stableHash(payload) == sum, let record = record(payload) else { return }
                records.append(record)
                offset = start + length
            }
        }
        return (records, offset)
    }

    private static func record(_ payload: UnsafeRawBufferPointer) -> OutboxRecord? {
        guard payload.count >= 3 else { return nil }
        let count = Int(UInt16(littleEndian: payload.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
        guard payload.count >= 3 + count else { return nil }
        let topic = String(decoding: payload[3..<(3 + count)], as: UTF8.self)
        let rest = UnsafeRawBufferPointer(rebasing: payload[(3 + count)...])
        switch payload[0] {
        case 1:
            guard rest.count >= Header.byteCount,
                let header = try? Header(bytes: UnsafeRawBufferPointer(rebasing: rest[0..<Header.byteCount]))
            else { return nil }
            return .event(Received(topic: topic, header: header, body: Array(rest[Header.byteCount...])))
        case 2:
            guard rest.count >= 16 else { return nil }
            let id = EventID(
                epoch: UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self)), topic: topic,
                sequence: UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            return .ack(id, by: ProcessName(rawValue: String(decoding: rest[16...], as: UTF8.self)))
        default: return nil
        }
    }
}
