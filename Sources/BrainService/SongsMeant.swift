import Music
import Protocols

/// The songs of a pool that a person's words mean: by id, else by title, else by a part of the title.
struct SongsMeant: Equatable {
    /// Songs that an answer names beside the first.
    static let named = 8

    let first: SongRef?
    /// That there are others, with their ids; nil when there is none.
    let others: String?

    init(_ text: String, in table: SongTable) {
        guard table.position(of: text) == nil else {
            first = table.position(of: text).map { table.refs[$0] }
            others = nil
            return
        }
        let title = folded(text)
        var found = table.refs.filter { folded($0.title) == title }
        let isWhole = !found.isEmpty
        if !isWhole, !title.isEmpty { found = table.refs.filter { folded($0.title).contains(title) } }
        first = found.first
        let rest = found.dropFirst()
        guard !rest.isEmpty else {
            others = nil
            return
        }
        let names = rest.prefix(Self.named).map { song in
            isWhole ? "\(song.id) by \(song.artist)" : "\(song.id) \"\(song.title)\" by \(song.artist)"
        }
        let more = rest.count > Self.named ? " and \(rest.count - Self.named) more" : ""
        let verb = isWhole ? "this title" : "these words"
        others =
            "\(rest.count) more \(rest.count == 1 ? "song has" : "songs have") \(verb), ask by id: "
            + names.joined(separator: ", ") + more + "."
    }
}
