/// Why an archive cannot be read or written.
package enum TarError: Error, Equatable, CustomStringConvertible {
    /// The archive breaks the format; `reason` quotes nothing of it.
    case malformed(reason: String)
    /// A name that could lead out of the place where the archive is unpacked.
    case unsafeName(String)
    /// A file whose name or size has no place in an archive.
    case unfit(name: String)
    case truncated

    package var description: String {
        switch self {
        case .malformed(let reason): "its archive is broken: \(reason)"
        case .unsafeName(let name): "its archive holds the name “\(name)”, which leads elsewhere"
        case .unfit(let name): "\(name) has a name or a size that does not fit into an archive"
        case .truncated: "its archive ends too early"
        }
    }
}
