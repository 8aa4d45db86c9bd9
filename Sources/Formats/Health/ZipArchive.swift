import CZip
import Glibc

/// A zip archive on disk, also of more than 4 GB (zip64); its entries are streamed.
final class ZipArchive {
    struct Entry: Equatable {
        var index: Int
        var name: String
        /// Unpacked and packed bytes as the directory says.
        var bytes: Int
        var packedBytes: Int
        var isEncrypted: Bool
    }

    /// More entries than any export has.
    static let mostEntries = 1_000_000
    /// Health exports pack to a twentieth. What would become larger than this and that many times its size is a bomb.
    static let harmless = 1 << 30
    static let highestRatio = 300
    let path: String
    let entries: [Entry]
    private let handle: OpaquePointer

    /// - Throws: ``FormatError`` for what is no archive, is cut off (its directory stands at the end) or cannot be read.
    init(path: String) throws(FormatError) {
        self.path = path
        var code: CInt = 0
        guard let archive = zip_open(path, CInt(ZIP_RDONLY), &code) else {
            var error = zip_error_t()
            zip_error_init_with_code(&error, code)
            defer { zip_error_fini(&error) }
            let reason = zip_error_strerror(&error).map { String(cString: $0) } ?? "error \(code)"
            throw FormatError(
                file: path, cause: "is a damaged or cut off zip archive (\(reason))",
                cure: "copy it from the phone again")
        }
        handle = archive
        var entries: [Entry] = []
        let count = min(Int(zip_get_num_entries(archive, 0)), Self.mostEntries)
        for index in 0..<max(0, count) {
            var status = zip_stat_t()
            zip_stat_init(&status)
            guard zip_stat_index(archive, UInt64(index), 0, &status) == 0, let name = status.name else { continue }
            entries.append(
                Entry(
                    index: index, name: String(cString: name), bytes: Int(clamping: status.size),
                    packedBytes: Int(clamping: status.comp_size),
                    isEncrypted: status.encryption_method != UInt16(ZIP_EM_NONE)))
        }
        self.entries = entries
    }

    deinit { zip_discard(handle) }

    /// The bytes of an entry, checked against its checksum at the end.
    ///
    /// - Throws: ``FormatError`` when it is encrypted, packed in a way that is not known, or a bomb.
    func feed(_ entry: Entry) throws(FormatError) -> ZipFeed {
        guard entry.bytes <= Self.harmless || entry.bytes / Self.highestRatio <= entry.packedBytes else {
            throw FormatError(
                file: path, cause: "'\(entry.name)' would unpack to more than \(Self.highestRatio) times its size",
                cure: "such an archive is a trap; export it again")
        }
        guard !entry.isEncrypted else {
            throw FormatError(
                file: path, cause: "'\(entry.name)' is encrypted", cure: "unpack it first, or export it again without")
        }
        guard let file = zip_fopen_index(handle, UInt64(entry.index), 0) else {
            let reason = zip_strerror(handle).map { String(cString: $0) } ?? "unknown error"
            throw FormatError(
                file: path, cause: "'\(entry.name)' cannot be unpacked (\(reason))",
                cure: "copy it from the phone again")
        }
        return ZipFeed(archive: self, entry: entry, file: file)
    }
}

/// The unpacked bytes of one entry.
final class ZipFeed: ByteFeed {
    let name: String
    let totalBytes: Int
    /// Keeps the archive open.
    private let archive: ZipArchive
    private let file: OpaquePointer
    private var given = 0

    fileprivate init(archive: ZipArchive, entry: ZipArchive.Entry, file: OpaquePointer) {
        self.archive = archive
        self.file = file
        name = "\(archive.path): \(entry.name)"
        totalBytes = entry.bytes
    }

    deinit { zip_fclose(file) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
        let got = zip_fread(file, buffer.baseAddress, UInt64(buffer.count))
        guard got >= 0 else {
            let reason = zip_error_strerror(zip_file_get_error(file)).map { String(cString: $0) } ?? "unknown error"
            throw FormatError(
                file: name, place: .byte(given), cause: "cannot be unpacked further (\(reason))",
                cure: "copy it from the phone again")
        }
        given += Int(got)
        // A directory that lies about the size hides a bomb, or is damaged.
        guard given <= totalBytes else {
            throw FormatError(
                file: name, place: .byte(given), cause: "is larger than the archive says", cure: "export it again")
        }
        return Int(got)
    }
}
