import Foundation
import Protocols

/// What may be told about a body, and in which range.
enum ProfileRules {
    /// The names, in the order in which they are shown.
    static let names = ["age", "sex", "restingBpm", "maximumBpm", "usualRmssdMs", "usualSdnnMs"]

    private static let ranges: [String: ClosedRange<Double>] = [
        "age": 5...120, "restingBpm": 25...120, "maximumBpm": 90...240, "usualRmssdMs": 3...300,
        "usualSdnnMs": 5...400,
    ]
    private static let units = [
        "age": "years", "restingBpm": "beats per minute", "maximumBpm": "beats per minute", "usualRmssdMs": "ms",
        "usualSdnnMs": "ms",
    ]
    /// A maximum nearer to the resting heart rate than this is a slip of the pen.
    private static let smallestReserve = 30.0

    /// The profile of the stored texts; what no longer passes is left out.
    static func profile(from stored: [String: String]) -> Profile {
        var profile = Profile()
        for name in names {
            guard let value = stored[name] else { continue }
            profile = (try? changed(profile, name, to: value)) ?? profile
        }
        return profile
    }

    /// The profile with one thing changed; nil forgets it.
    ///
    /// - Throws: ``Refusal`` `invalid` that says what would be right.
    static func changed(_ profile: Profile, _ name: String, to value: String?) throws(Refusal) -> Profile {
        var profile = profile
        switch name {
        case "age": profile.age = try number(name, value).map { Int($0) }
        case "sex": profile.sex = try sex(value)
        case "restingBpm": profile.restingBpm = try number(name, value)
        case "maximumBpm": profile.maximumBpm = try number(name, value)
        case "usualRmssdMs": profile.usualRmssdMs = try number(name, value)
        case "usualSdnnMs": profile.usualSdnnMs = try number(name, value)
        default:
            throw invalid("there is no “\(name.prefix(40))” in a profile; there are \(names.joined(separator: ", "))")
        }
        if let resting = profile.restingBpm, let maximum = profile.maximumBpm, maximum < resting + smallestReserve {
            throw invalid(
                "the maximum heart rate must lie at least \(Int(smallestReserve)) beats per minute above the resting one"
            )
        }
        return profile
    }

    private static func number(_ name: String, _ value: String?) throws(Refusal) -> Double? {
        guard let value, let range = ranges[name], let unit = units[name] else { return nil }
        let text = value.trimmingCharacters(in: .whitespaces)
        let isWhole = name != "age" || Int(text) != nil
        guard let number = Double(text), range.contains(number), isWhole else {
            throw invalid("\(name) must be \(Int(range.lowerBound))…\(Int(range.upperBound)) \(unit)")
        }
        return number
    }

    private static func sex(_ value: String?) throws(Refusal) -> String? {
        guard let value else { return nil }
        switch value.trimmingCharacters(in: .whitespaces).lowercased() {
        case "female", "f": return "female"
        case "male", "m": return "male"
        default: throw invalid("sex must be female or male, or left out; it only chooses population averages")
        }
    }

    private static func invalid(_ message: String) -> Refusal { Refusal(code: "invalid", message: message) }
}
