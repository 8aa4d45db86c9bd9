/// What a person may have meant who mistyped a name.
package enum CloseWords {
    /// The candidates that are nearest to what was typed, best first: at most one wrong letter in three, and a part of a
    /// name counts as the name.
    ///
    /// - Parameters:
    ///   - word: as typed.
    ///   - candidates: what exists; compared by their ``folded(_:)`` form.
    ///   - limit: at most so many.
    package static func nearest(to word: String, among candidates: some Sequence<String>, limit: Int) -> [String] {
        let typed = Array(folded(word).unicodeScalars)
        guard !typed.isEmpty else { return [] }
        let most = max(1, typed.count / 3)
        var found: [(word: String, distance: Int)] = []
        for candidate in candidates {
            let scalars = Array(folded(candidate).unicodeScalars)
            guard abs(scalars.count - typed.count) <= most else { continue }
            let distance = distance(typed, scalars)
            if distance <= most { found.append((candidate, distance)) }
        }
        return found.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(limit).map(\.word)
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other (optimal string
    /// alignment). Source: G. Navarro, "A guided tour to approximate string matching", ACM Computing Surveys 33 (2001).
    package static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [Int](repeating: i, count: b.count + 1)
            for j in 1...b.count {
                let cost = a[i - 1] == b[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
