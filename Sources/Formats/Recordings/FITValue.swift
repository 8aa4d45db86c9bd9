import Foundation
import Protocols

/// The value of one field of a FIT message, scaled to its unit.
package enum FITValue: Equatable, Sendable, CustomStringConvertible {
    case integer(Int64)
    case number(Double)
    case text(String)
    case time(Timestamp)
    /// Several values in their order; nil where the file says "invalid".
    case list([FITValue?])

    /// The value as a number, or nil for texts, times and lists.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .text, .time, .list: nil
        }
    }

    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    package var timestamp: Timestamp? {
        if case .time(let value) = self { value } else { nil }
    }

    package var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The valid values of a list, or the value itself.
    package var elements: [FITValue] {
        if case .list(let values) = self { values.compactMap(\.self) } else { [self] }
    }

    package var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let value): value
        case .time(let value): value.description
        case .list(let values): "[" + values.map { $0?.description ?? "" }.joined(separator: ", ") + "]"
        }
    }
}

/// A field of a message.
package struct FITField: Equatable, Sendable {
    /// Number in the profile; 255 for a field that a developer defined.
    package var number: UInt8
    /// Name in the profile, `unknown_N`, or the developer's name.
    package var name: String
    package var value: FITValue
}

/// One message of a FIT file. Fields that the file marks as invalid are absent.
package struct FITMessage: Equatable, Sendable {
    /// Global message number.
    package var number: UInt16
    package var fields: [FITField]

    /// Name in the profile, or `unknown_N`.
    package var name: String { FITProfile.messageName(number) }

    package subscript(_ name: String) -> FITValue? { fields.first { $0.name == name }?.value }

    /// Field 253 as Unix time; nil when absent or counted from the power-up of the device.
    package var timestamp: Timestamp? { fields.first { $0.number == 253 }?.value.timestamp }
}
