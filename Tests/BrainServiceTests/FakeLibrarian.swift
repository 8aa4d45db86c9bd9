import Bus
import Protocols

/// A librarian with the songs that a test gives it.
actor FakeLibrarian: BusService {
    nonisolated let subscriptions: [String] = []
    private let playlists: [String: [Song]]
    private let revision: Int64

    init(_ playlists: [String: [Song]], revision: Int64 = 1) {
        self.playlists = playlists
        self.revision = revision
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .joined:
            let songs = Set(playlists.values.joined().map(\.id)).count
            bus.publish(
                LibraryRevision(
                    revision: revision, songs: songs, playlists: playlists.count, analysed: songs, pending: 0),
                on: Registry.library())
        case .request(let request):
            guard let query = try request.decode(ListSongs.self) else { return }
            let names = query.playlists ?? playlists.keys.sorted()
            var seen = Set<String>()
            let songs = names.flatMap { playlists[$0] ?? [] }.filter { seen.insert($0.id).inserted }
            let page = songs.dropFirst(query.offset).prefix(query.limit)
            request.reply(
                SongPage(
                    revision: revision, total: songs.count, offset: query.offset, songs: Array(page),
                    playlistIds: names.filter { playlists[$0] != nil }, missing: names.filter { playlists[$0] == nil }))
        default: break
        }
    }
}
