import Foundation

/// Which app and title belong to which category: rules of the owner first, then what is built in.
///
/// A rules file is what ActivityWatch keeps under settings/classes, so its own can be used as it is:
/// `[{"name": ["Work", "Programming"], "rule": {"type": "regex", "regex": "vim|Xcode", "ignore_case": true}}]`. The
/// pattern is looked for in app and title, the deepest name wins, then the first. A `"category"` beside `"name"` says
/// which of ours it is; without it the words of the name decide (`docs/context-formats.md`).
package struct CategoryRules: Sendable {
    private struct Rule: Sendable {
        var depth: Int
        var category: AppCategory
        var pattern: NSRegularExpression
    }

    private var rules: [Rule]

    private struct Entry: Decodable {
        struct Match: Decodable {
            var type: String?
            var regex: String?
            var ignoreCase: Bool?
            enum CodingKeys: String, CodingKey {
                case type, regex
                case ignoreCase = "ignore_case"
            }
        }
        var name: [String]
        var rule: Match?
        var category: AppCategory?
    }

    private struct Export: Decodable { var categories: [Entry] }

    private init(rules: [Rule]) { self.rules = rules }

    /// Only what is built in.
    package static let builtIn: CategoryRules = {
        let table: [(AppCategory, String)] = [
            (.meeting, #"\b(zoom|teams|webex|skype|jitsi|bigbluebutton|facetime)\b|google meet|meet\.google"#),
            (
                .entertainment,
                #"\b(vlc|mpv|netflix|youtube|twitch|steam|prime video|disney\+|plex|kodi|spotify|totem|celluloid)\b"#
            ),
            (.social, #"\b(facebook|instagram|tiktok|twitter|mastodon|reddit|bluesky|linkedin|snapchat)\b"#),
            (
                .communication,
                #"\b(slack|mail|thunderbird|outlook|discord|signal|telegram|whatsapp|element|messages|mattermost|evolution|geary|mutt)\b"#
            ),
            (
                .creative,
                #"\b(gimp|inkscape|krita|blender|photoshop|illustrator|figma|ardour|audacity|ableton|logic pro|kdenlive|davinci|darktable|lightroom|musescore)\b"#
            ),
            (
                .productivity,
                #"\b(code|vscodium|xcode|terminal|alacritty|kitty|konsole|iterm2?|gnome-terminal|vim|nvim|emacs|intellij|idea|pycharm|clion|goland|webstorm|rider|sublime|zed|libreoffice|word|excel|powerpoint|keynote|pages|numbers|obsidian|notion|texstudio|jupyter|rstudio|matlab|zotero)\b"#
            ),
            (.browser, #"\b(firefox|chrome|chromium|safari|brave|edge|vivaldi|opera|librewolf|epiphany)\b"#),
        ]
        return CategoryRules(
            rules: table.compactMap { category, pattern in
                (try? NSRegularExpression(pattern: pattern, options: .caseInsensitive))
                    .map { Rule(depth: 0, category: category, pattern: $0) }
            })
    }()

    /// The rules of a file before the built-in ones.
    ///
    /// - Throws: ``FormatError`` when it is not JSON of this shape, or names the rule whose pattern is wrong.
    package static func read(path: String) throws(FormatError) -> CategoryRules {
        let stream = try ByteStream(path: path, limit: 4 << 20)
        return try read(bytes: try stream.restAsUTF8(), name: path)
    }

    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> CategoryRules {
        let entries = try decoded(bytes, name: name)
        var own: [Rule] = []
        for entry in entries {
            guard entry.rule?.type ?? "regex" == "regex", let regex = entry.rule?.regex, !regex.isEmpty else {
                continue
            }
            do {
                let pattern = try NSRegularExpression(
                    pattern: regex, options: entry.rule?.ignoreCase ?? false ? .caseInsensitive : [])
                own.append(
                    Rule(
                        depth: entry.name.count, category: entry.category ?? category(named: entry.name),
                        pattern: pattern))
            } catch {
                throw FormatError(
                    file: name, cause: "the rule '\(entry.name.joined(separator: " > "))' has a bad pattern",
                    cure: "correct the regular expression '\(regex.prefix(60))'")
            }
        }
        // Deepest first; the order of the file among equals.
        let sorted = own.enumerated().sorted { ($1.element.depth, $0.offset) < ($0.element.depth, $1.offset) }
        return CategoryRules(rules: sorted.map(\.element) + builtIn.rules)
    }

    private static func decoded(_ bytes: [UInt8], name: String) throws(FormatError) -> [Entry] {
        let data = Data(bytes)
        do {
            if let export = try? JSONDecoder().decode(Export.self, from: data) { return export.categories }
            return try JSONDecoder().decode([Entry].self, from: data)
        } catch {
            throw FormatError(
                file: name, cause: "is not a list of category rules (\(Self.reason(error)))",
                cure: "write [{\"name\": [\"Work\"], \"rule\": {\"type\": \"regex\", \"regex\": \"…\"}}]")
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "unreadable" }
        switch error {
        case .keyNotFound(let key, _): return "'\(key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "wrong type at \(context.codingPath.map(\.stringValue).joined(separator: "."))"
        case .dataCorrupted: return "not JSON"
        @unknown default: return "unreadable"
        }
    }

    /// The category that the words of a name stand for; the deepest word that is known decides.
    private static func category(named name: [String]) -> AppCategory {
        let words: [(AppCategory, [String])] = [
            (.meeting, ["meeting", "call", "conferenc"]), (.social, ["social"]),
            (.communication, ["comm", "mail", "chat", "im", "messag"]),
            (
                .creative,
                ["image", "photo", "design", "3d", "audio", "music production", "video edit", "creative", "art"]
            ),
            (.entertainment, ["media", "game", "video", "music", "entertain", "fun", "leisure"]),
            (.browser, ["brows", "web"]),
            (
                .productivity,
                ["work", "program", "cod", "develop", "study", "office", "writ", "document", "research", "productiv"]
            ),
        ]
        for part in name.reversed() {
            let part = part.lowercased()
            for (category, stems) in words
            where stems.contains(where: { $0.count < 3 ? part == $0 : part.hasPrefix($0) || part.contains(" \($0)") }) {
                return category
            }
        }
        return .other
    }

    /// The category of a window.
    package func category(app: String, title: String) -> AppCategory {
        let text = String("\(app)\n\(title)".prefix(1000))
        let range = NSRange(text.startIndex..., in: text)
        return rules.first { $0.pattern.firstMatch(in: text, range: range) != nil }?.category ?? .other
    }
}
