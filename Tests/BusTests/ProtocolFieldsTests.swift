import Foundation
import Protocols
import Testing

/// `docs/protocol.md` defines every field of every message; the definitions are the comments in `Protocols/`.
struct ProtocolFieldsTests {
    /// One type of `Protocols/`: its keys in the order of the source.
    struct Body {
        var name: String
        var summary: String
        var fields: [(key: String, type: String, meaning: String)] = []
        /// Types that it holds inside.
        var inner: [Body] = []
        /// Of a request: its name on the wire and who answers.
        var wireName: String?
        var target: String?
        var reply: String?
    }

    struct Source {
        var bodies: [Body] = []
        /// Cases by the name of the enumeration.
        var cases: [String: [String]] = [:]
    }

    private static let begin = "<!-- fields:"
    private static let end = "<!-- /fields -->"

    // MARK: - Reading the source

    static func source() throws -> Source {
        let folder = ProtocolDocumentTests.root.appending(path: "Protocols")
        var source = Source()
        for part in ["Messages", "Requests"] {
            let directory = folder.appending(path: part)
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted() {
                read(try String(contentsOf: directory.appending(path: name), encoding: .utf8), into: &source)
            }
        }
        return source
    }

    private static func read(_ text: String, into source: inout Source) {
        var comment: [String] = []
        var open: [(body: Body, depth: Int)] = []
        var enumeration: (name: String, depth: Int)?
        var depth = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map({
            $0.trimmingCharacters(in: .whitespaces)
        }) {
            if line.hasPrefix("///") {
                comment.append(line.dropFirst(3).trimmingCharacters(in: .whitespaces))
                continue
            }
            let meaning = comment.joined(separator: " ").replacing("``", with: "`").replacing("|", with: "/")
            if let match = line.firstMatch(of: /^package struct (\w+)[:\w, ]*\{/) {
                open.append((Body(name: String(match.1), summary: meaning), depth))
            } else if let match = line.firstMatch(of: /^package enum (\w+): String/) {
                enumeration = (String(match.1), depth)
            }
            if let name = enumeration?.name, let range = line.range(of: "case "), !line.hasPrefix("if "),
                line.hasPrefix("case ") || line.contains("{ case ")
            {
                let names = line[range.upperBound...].prefix { $0 != "}" && $0 != "/" }.split(separator: ",")
                source.cases[name, default: []] += names.map { $0.trimmingCharacters(in: .whitespaces) }
            }
            if enumeration == nil, let last = open.indices.last {
                if depth == open[last].depth + 1, !line.contains("{ "),
                    let match = line.firstMatch(of: /^package (?:private\(set\) )?var (\w+): ([^={]+?)(?: = .+)?$/)
                {
                    open[last].body.fields.append((String(match.1), String(match.2), meaning))
                } else if let match = line.firstMatch(of: /static let name = "([^"]+)"/) {
                    open[last].body.wireName = String(match.1)
                } else if let match = line.firstMatch(of: /static let target = ProcessName\.(\w+)/) {
                    open[last].body.target = String(match.1)
                } else if let match = line.firstMatch(of: /typealias Reply = (\w+)/) {
                    open[last].body.reply = String(match.1)
                }
            }
            comment = []
            depth += line.count { $0 == "{" } - line.count { $0 == "}" }
            if let current = enumeration, depth <= current.depth { enumeration = nil }
            while let last = open.last, depth <= last.depth {
                open.removeLast()
                if let outer = open.indices.last {
                    open[outer].body.inner.append(last.body)
                } else {
                    source.bodies.append(last.body)
                }
            }
        }
    }

    // MARK: - Writing the page

    /// A Swift type as a reader of JSON calls it.
    static func json(_ type: String, _ source: Source) -> String {
        if type.hasSuffix("?") { return json(String(type.dropLast()), source) + ", may be absent" }
        if type.hasPrefix("["), type.hasSuffix("]") {
            let inside = type.dropFirst().dropLast()
            if let colon = inside.range(of: ": ") {
                return "object of " + json(String(inside[colon.upperBound...]), source)
            }
            return "array of " + json(String(inside), source)
        }
        if let match = type.firstMatch(of: /^Open<(\w+)>$/) { return json(String(match.1), source) }
        if let cases = source.cases[type] { return cases.map { "`\($0)`" }.joined(separator: " ") }
        switch type {
        case "Timestamp": return "integer, Unix ms"
        case "Double": return "number"
        case "Int", "Int32", "Int64", "UInt16", "UInt32", "UInt64": return "integer"
        case "Bool": return "boolean"
        case "String", "ProcessName": return "string"
        default: return "`\(type)`"
        }
    }

    /// What a key says by its unit, when its comment does not say more.
    static func unit(of key: String) -> String {
        for (suffix, unit) in [
            ("Ms", "ms"), ("Bpm", "beats per minute"), ("bpm", "beats per minute"), ("Seconds", "s"),
            ("Minutes", "min"),
            ("Percent", "0…100"), ("Kcal", "kcal"), ("Lufs", "LUFS"), ("confidence", "0…1"), ("quality", "0…1"),
            ("Share", "0…1"), ("Probability", "0…1"), ("volume", "0…1"),
        ] where key.hasSuffix(suffix) { return unit }
        return ""
    }

    static func rows(_ body: Body, prefix: String, _ source: Source) -> [String] {
        body.fields.map { field in
            let meaning = field.meaning.isEmpty ? unit(of: field.key) : field.meaning
            return "| `\(prefix)\(field.key)` | \(json(field.type, source)) | \(meaning) |"
        } + body.inner.flatMap { rows($0, prefix: "\($0.name).", source) }
    }

    static func page(_ source: Source) -> String {
        var lines: [String] = []
        func table(_ title: String, _ body: Body, _ note: String) {
            lines += ["### \(title)", "", note.isEmpty ? body.summary : note]
            let fields = rows(body, prefix: "", source)
            lines += fields.isEmpty ? [""] : ["", "| key | JSON | |", "|---|---|---|"] + fields + [""]
        }
        let byName = Dictionary(source.bodies.map { ($0.name, $0) }) { first, _ in first }
        let topics = Dictionary(grouping: Registry.all, by: \.type)
        lines += ["## Bodies of the topics", ""]
        for spec in Registry.all {
            guard topics[spec.type]?.first?.family == spec.family, let body = byName[spec.type] else { continue }
            let families = (topics[spec.type] ?? []).map { "`\($0.family)`" }.joined(separator: ", ")
            table("`\(spec.type)`", body, "On \(families). \(body.summary)")
        }
        lines += ["## Bodies of requests and answers", ""]
        for body in source.bodies where topics[body.name] == nil {
            var note = body.summary
            if let name = body.wireName {
                note = "`\(name)`" + (body.target.map { " to the \($0)" } ?? "") + ": \(body.summary)"
                if let reply = body.reply { note += " Answered with `\(reply)`." }
            }
            table("`\(body.name)`", body, note)
        }
        return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
    }

    // MARK: - Tests

    @Test func `the fields of every message are those of the source`() throws {
        let text = try String(contentsOf: ProtocolDocumentTests.document, encoding: .utf8)
        let start = try #require(text.range(of: Self.begin))
        let lineEnd = try #require(text[start.upperBound...].firstIndex(of: "\n"))
        let stop = try #require(text.range(of: Self.end))
        let page = Self.page(try Self.source())
        if ProcessInfo.processInfo.environment["RESONANCE_WRITE_DOCS"] != nil {
            let whole = text[...lineEnd] + "\n" + page + "\n\n" + text[stop.lowerBound...]
            try Data(whole.utf8).write(to: ProtocolDocumentTests.document)
            return
        }
        let written = text[text.index(after: lineEnd)..<stop.lowerBound].trimmingCharacters(in: .newlines)
        #expect(written == page, "write it with RESONANCE_WRITE_DOCS=1")
    }

    /// The vectors come from the types themselves, so what the reading of the source missed is found here.
    @Test func `every key of every vector is defined under its message`() throws {
        let text = try String(contentsOf: ProtocolDocumentTests.document, encoding: .utf8)
        var sections: [String: Substring] = [:]
        for section in text.split(separator: "\n### `").dropFirst() {
            sections[String(section.prefix { $0 != "`" })] = section
        }
        for spec in Registry.all {
            let section = try #require(sections[spec.type], "\(spec.type)")
            let vector = ProtocolDocumentTests.root.appending(
                path: "Protocols/Vectors/\(spec.schema)/\(spec.type).json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(contentsOf: vector)) as? [String: Any])
            for key in object.keys.sorted() { #expect(section.contains("| `\(key)` |"), "\(spec.type).\(key)") }
        }
    }
}
