import Protocols

extension Household {
    /// Sends an order and shows what came of it: the answer's own note, or `sentence`.
    func obey<Order: Request>(_ order: Order, _ terminal: Terminal, json: Bool, else sentence: String) async throws
    where Order.Reply == Done {
        let done = try await request(order)
        try terminal.answer(done, json: json) { [(done.note ?? sentence).printable] }
    }

    /// The id of the song that a person named by its id or a part of its title.
    ///
    /// - Throws: the librarian's refusal, which names the candidates when there are several.
    func songId(of words: [String]) async throws(Refusal) -> String {
        try await request(GetSong(song: words.joined(separator: " "))).song.id
    }

    /// Does something with the song that a person named by its id or a part of its title.
    ///
    /// - Throws: the librarian's refusal, which names the candidates when there are several; for a song that is not in
    ///   the chosen playlists a ``CommandFailure`` that says which playlists hold it.
    func withSong(_ words: [String], do action: (_ id: String) async throws -> Void) async throws {
        let reply = try await request(GetSong(song: words.joined(separator: " ")))
        do {
            try await action(reply.song.id)
        } catch let refusal as Refusal where refusal.code == "not-found" {
            throw Self.outside(reply)
        }
    }

    /// Asks the brain about a song by the person's own words, and says what is wrong with them when it knows no such song.
    func explained<Query: Request>(_ query: Query, song words: [String]) async throws -> Query.Reply {
        do {
            return try await request(query)
        } catch let refusal where refusal.code == "not-found" {
            // A typing error is refused here, with what may have been meant.
            throw Self.outside(try await request(GetSong(song: words.joined(separator: " "))))
        }
    }

    private static func outside(_ reply: SongReply) -> CommandFailure {
        let name = "\"\(reply.song.title)\" by \(reply.song.artist)"
        guard let first = reply.playlists.first else {
            return CommandFailure(
                .finding, "\(name) is in your library, but in no playlist".printable,
                cure: "put it into a playlist, then import that: `resonance library import FILE`")
        }
        return CommandFailure(
            .finding,
            "\(name) is not in the chosen playlists, but in \(reply.playlists.joined(separator: ", "))".printable,
            cure: "choose that: `resonance use \"\(first)\"`".printable)
    }
}
