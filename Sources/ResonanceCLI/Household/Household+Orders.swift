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
}
