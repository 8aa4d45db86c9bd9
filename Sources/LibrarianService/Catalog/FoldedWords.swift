import Music

/// Text prepared for finding: folded fields, each between line feeds so that a match does not run over their ends.
enum FoldedWords {
    static func of(_ fields: [String]) -> String {
        fields.map(folded).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// LIKE patterns of which all must fit; `\` escapes.
    static func patterns(of query: String) -> [String] {
        folded(query).split(separator: " ").map { word in
            let escaped = word.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
            return "%\(escaped)%"
        }
    }
}
