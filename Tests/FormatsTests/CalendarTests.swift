import Foundation
import Testing

@testable import Formats

struct CalendarTests {
    /// Files of the reference that have events.
    static let references: [String] = {
        guard let all = try? SharedData.json("ics/reference.json") else { return [] }
        return all.keys.sorted()
    }()

    @Test(
        .enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"),
        arguments: references)
    func `occurrences equal the reference implementation`(file: String) throws {
        let calendar = try CalendarFile.read(path: SharedData.path("ics/recurring/\(file)"))
        let expected = try #require(SharedData.json("ics/reference.json")[file] as? [String: Any])
        guard let window = expected["window"] as? [String] else {
            #expect(calendar.events.isEmpty)
            return
        }
        let from = try #require(CalendarDay(window[0]))
        let to = try #require(CalendarDay(window[1]))
        #expect(calendar.events.count == expected["vevents"] as? Int)
        #expect(calendar.ownWindow == .days(from: from, to: to))
        let expansion = calendar.occurrences(in: .days(from: from, to: to), local: .gmt)
        #expect(expansion.occurrences.count == expected["count"] as? Int)
        #expect(expansion.cut.isEmpty)
        let rows = try #require(expected["occurrences"] as? [[String: String]])
        func line(_ start: String, _ end: String, _ uid: String, _ summary: String, _ status: String) -> String {
            // Times without an offset are floating; the local zone of this test is UTC.
            let times = [start, end].map { $0.count == 19 ? $0 + "+00:00" : $0 }
            return (times + [uid, String(summary.unicodeScalars.prefix(80).map(Character.init)), status]).joined(
                separator: " | ")
        }
        let wanted = rows.map {
            line($0["start"] ?? "", $0["end"] ?? "", $0["uid"] ?? "", $0["summary"] ?? "", $0["status"] ?? "")
        }
        let got = expansion.occurrences.map {
            line($0.start.text(local: .gmt), $0.end.text(local: .gmt), $0.uid, $0.summary, $0.status)
        }
        let complete = rows.count == expected["count"] as? Int
        let missing = Set(wanted).subtracting(got)
        let extra = complete ? Set(got).subtracting(wanted) : []
        #expect(missing.sorted() == [])
        #expect(extra.sorted() == [])
        let transparent = Set(rows.filter { $0["transp"] == "TRANSPARENT" }.compactMap { $0["uid"] })
        #expect(Set(expansion.occurrences.filter(\.transparent).map(\.uid)).isSuperset(of: transparent))
    }
}
