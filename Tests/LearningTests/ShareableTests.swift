import Foundation
import Learning
import Testing

/// What may leave the machine is a type into which no body value fits.
struct ShareableTests {
    private let full = Shareable(
        playlistIds: ["pl-evening-calm", "pl-run"],
        effects: [
            ("song-a1b2", SongEffectLog(calm: 0.623_456, focus: 0.5, energy: 0.31, moodLift: 1, plays: 12)),
            ("song-c3d4", SongEffectLog(calm: 0, plays: 1)),
        ],
        preferences: Shareable.PreferenceName.allCases.map { ($0.rawValue, 0.25) } + [
            ("restingBpm", 52), ("heartRate", 71), ("usualRmssdMs", 44),
        ])

    private static let keys: Set<String> = [
        "playlistIds", "songEffects", "preferences", "song", "calm", "focus", "energy", "moodLift", "name", "value",
    ]

    @Test func `the encoded keys are on the list and every number is a score or a preference`() throws {
        let data = try JSONEncoder().encode(full)
        let object = try JSONSerialization.jsonObject(with: data)
        let names = Set(Shareable.PreferenceName.allCases.map(\.rawValue))
        var paths: [String] = []
        func walk(_ node: Any, _ path: String) {
            if let dictionary = node as? [String: Any] {
                for (key, child) in dictionary {
                    #expect(Self.keys.contains(key), "\(path).\(key)")
                    if key == "name" { #expect(names.contains(child as? String ?? "")) }
                    walk(child, "\(path).\(key)")
                }
            } else if let array = node as? [Any] {
                for child in array { walk(child, path + "[]") }
            } else {
                paths.append(path)
                if let number = node as? Double, !path.hasPrefix(".preferences") {
                    #expect(number == number.rounded() && (0...100).contains(number), "\(path) = \(number)")
                }
            }
        }
        walk(object, "")
        #expect(
            Set(paths) == [
                ".playlistIds[]", ".songEffects[].song", ".songEffects[].calm", ".songEffects[].focus",
                ".songEffects[].energy", ".songEffects[].moodLift", ".preferences[].name", ".preferences[].value",
            ])
        let text = String(decoding: data, as: UTF8.self)
        for forbidden in [
            "bpm\"", "rmssd", "sdnn", "hrv\"", "heart", "resting", "stress\"", "arousal", "sleep", "At\"",
        ] {
            #expect(!text.contains(forbidden), "\(forbidden)")
        }
    }

    @Test func `its stored properties are those three and theirs, nothing else`() {
        func shape(_ value: Any) -> Set<String> {
            var found: Set<String> = []
            func walk(_ value: Any, _ path: String) {
                let mirror = Mirror(reflecting: value)
                if mirror.displayStyle == .collection {
                    for child in mirror.children { walk(child.value, path + "[]") }
                } else if mirror.displayStyle == .struct, !mirror.children.isEmpty, !(value is String) {
                    for child in mirror.children { walk(child.value, "\(path).\(child.label ?? "?")") }
                } else {
                    found.insert("\(path): \(type(of: value))")
                }
            }
            walk(value, "")
            return found
        }
        #expect(
            shape(full) == [
                ".playlistIds[].value: String", ".songEffects[].song.value: String",
                ".songEffects[].calm.value: UInt8", ".songEffects[].focus.value: UInt8",
                ".songEffects[].energy.value: UInt8", ".songEffects[].moodLift.value: UInt8",
                ".preferences[].name: PreferenceName", ".preferences[].value: Double",
            ])
    }

    @Test(arguments: ["72", "71.5", "812;798;805", "hr=72", "", "a b", "71.5 bpm", "2026-01-01T00:00:00Z"])
    func `a reading does not pass for an id`(text: String) {
        #expect(Shareable.LibraryId(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Shareable.LibraryId.self, from: JSONEncoder().encode(text))
        }
    }

    @Test func `what is not a preference of 4-2-4 is left out`() {
        #expect(full.preferences.count == Shareable.PreferenceName.allCases.count)
    }
}
