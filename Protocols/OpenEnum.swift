/// A value of an enumeration that a newer writer may have extended: an unknown case is kept as it came.
package enum Open<Known: RawRepresentable<String> & Hashable & Sendable>: Hashable, Sendable {
    case known(Known)
    case unknown(String)

    package init(_ known: Known) { self = .known(known) }

    /// The known case, or nil when a newer writer sent one that this reader has never heard of.
    package var value: Known? {
        if case .known(let known) = self { known } else { nil }
    }

    package var rawValue: String {
        switch self {
        case .known(let known): known.rawValue
        case .unknown(let raw): raw
        }
    }

    package static func == (a: Self, b: Known) -> Bool { a.value == b }
}

extension Open: Codable {
    package init(from decoder: any Decoder) throws {
        let raw = try decoder.singleValueContainer().decode(String.self)
        self = Known(rawValue: raw).map(Self.known) ?? .unknown(raw)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
