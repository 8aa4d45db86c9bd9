import Foundation

/// A zip archive without compression.
///
/// Source: PKWARE, APPNOTE.TXT 6.3.10, 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end).
enum StoredZip {
    static func bytes(_ files: [(name: String, bytes: [UInt8])]) -> Data {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for file in files {
            let offset = body.count
            // Version 2.0, no flags, stored, 1980-01-01 00:00, checksum, two sizes, length of the name, no extra field.
            let common =
                word(20) + word(0) + word(0) + word(0) + word(0x21) + long(checksum(file.bytes))
                + long(file.bytes.count)
                + long(file.bytes.count) + word(file.name.utf8.count) + word(0)
            body += [0x50, 0x4B, 0x03, 0x04] + common + file.name.utf8 + file.bytes
            directory += [0x50, 0x4B, 0x01, 0x02] + word(20) + common
            directory += word(0) + word(0) + word(0) + long(0) + long(offset) + file.name.utf8
        }
        let end =
            [0x50, 0x4B, 0x05, 0x06] + word(0) + word(0) + word(files.count) + word(files.count)
            + long(directory.count) + long(body.count) + word(0)
        return Data(body + directory + end)
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
    private static func long(_ value: Int) -> [UInt8] { word(value & 0xFFFF) + word(value >> 16 & 0xFFFF) }

    /// CRC-32 of ISO 3309, reflected polynomial 0xEDB88320.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        let table: [UInt32] = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return Int(~bytes.reduce(~UInt32(0)) { sum, byte in table[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8 })
    }
}
