/// A small JSON value, for the parts of a streamed document that belong together.
enum JSONTree: Equatable {
    case object([String: JSONTree])
    case array([JSONTree])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null

    subscript(_ key: String) -> JSONTree? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// A number, also one that is written as text.
    var number: Double? {
        switch self {
        case .number(let value): value
        case .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    /// Reads the value that begins with a token.
    ///
    /// - Parameters:
    ///   - budget: values that may still be kept; what goes beyond is read and left out.
    ///   - without: keys whose values are passed over.
    init(
        _ token: JSONPull.Token, from json: inout JSONPull, budget: inout Int, without: Set<String> = []
    ) throws(FormatError) {
        budget -= 1
        switch token {
        case .string(let text): self = .string(text)
        case .number(let value): self = .number(value)
        case .bool(let value): self = .bool(value)
        case .beginObject:
            var members: [String: JSONTree] = [:]
            while let next = try json.next(), next != .endObject {
                guard case .key(let key) = next, let value = try json.next() else { break }
                if without.contains(key) || budget <= 0 {
                    try json.skip(value)
                } else {
                    members[key] = try JSONTree(value, from: &json, budget: &budget, without: without)
                }
            }
            self = .object(members)
        case .beginArray:
            var elements: [JSONTree] = []
            while let next = try json.next(), next != .endArray {
                if budget <= 0 {
                    try json.skip(next)
                } else {
                    elements.append(try JSONTree(next, from: &json, budget: &budget, without: without))
                }
            }
            self = .array(elements)
        case .null, .key, .endObject, .endArray: self = .null
        }
    }
}
