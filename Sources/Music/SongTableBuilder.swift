import Protocols

/// Collects songs one by one into a ``SongTable``; a second song with the id of an earlier one is left out.
package struct SongTableBuilder {
    struct Columns {
        var refs: [SongRef] = []
        var bpm: [Double] = []
        var tempoNeutral: [Double] = []
        var tempoWeight: [Double] = []
        var secondBpm: [Double] = []
        var secondWeight: [Double] = []
        var thirdBpm: [Double] = []
        var thirdWeight: [Double] = []
        var energy: [Double] = []
        var valence: [Double] = []
        var instrumentalness: [Double] = []
        var density: [Double] = []
        var knownShare: [Double] = []
        var seconds: [Double] = []
        var genreSet: [Int32] = []
        var key: [Int32] = []
        var playable: [Bool] = []
        var genreSets: [Set<String>] = [[]]
        var positions: [String: Int] = [:]
    }

    struct Built {
        var columns: Columns
        var artist: [Int32]
        var work: [Int32]
        var artistNames: [String]
        var artistIds: [String: Int32]
        var workIds: [SongTable.Work: Int32]
    }

    private var columns = Columns()
    private var artists: [ArtistName] = []
    private var titles: [TitleParts] = []
    private var knownArtists: [String: ArtistName] = [:]
    private var genreSetIds: [[String]: Int32] = [:]

    package init() {}

    package mutating func append(_ song: Song) {
        guard columns.positions[song.id] == nil else { return }
        columns.positions[song.id] = columns.refs.count
        columns.refs.append(song.ref)
        let tempo = TempoCandidates(song.tempo)
        columns.bpm.append(tempo.bpm[0])
        columns.tempoNeutral.append(tempo.neutral)
        columns.tempoWeight.append(tempo.weight[0])
        columns.secondBpm.append(tempo.bpm[1])
        columns.secondWeight.append(tempo.weight[1])
        columns.thirdBpm.append(tempo.bpm[2])
        columns.thirdWeight.append(tempo.weight[2])
        let features = [song.energy, song.valence, song.instrumentalness, song.acousticDensity].map(Self.fraction)
        columns.energy.append(features[0])
        columns.valence.append(features[1])
        columns.instrumentalness.append(features[2])
        columns.density.append(features[3])
        let known = features.count { !$0.isNaN } + (tempo.bpm[0].isNaN ? 0 : 1)
        columns.knownShare.append(Double(known) / 5)
        columns.seconds.append(song.durationMs.map { $0 > 0 ? Double($0) / 1000 : .nan } ?? .nan)
        columns.genreSet.append(internGenres(song.genres))
        let key = song.key.flatMap { MusicalKey($0) }
        columns.key.append(Int32(key?.index ?? MusicalKey.count))
        columns.playable.append(song.playable)
        let artist = knownArtists[song.artist] ?? ArtistName(song.artist)
        knownArtists[song.artist] = artist
        artists.append(artist)
        titles.append(TitleParts(song.title))
    }

    /// The finished table. A credit that lists several names counts as the first of them when that name stands alone
    /// somewhere else in the library ("Queen & David Bowie" as Queen, "Earth, Wind & Fire" as itself).
    package func table() -> SongTable {
        let alone = Set(artists.lazy.map(\.withoutGuests))
        var artistIds: [String: Int32] = [:]
        var names: [String] = []
        var workIds: [SongTable.Work: Int32] = [:]
        var artistColumn: [Int32] = []
        var workColumn: [Int32] = []
        for artist in artists {
            let name = artist.first.flatMap { alone.contains($0) ? $0 : nil } ?? artist.withoutGuests
            let id = artistIds[name] ?? Int32(names.count)
            if artistIds.updateValue(id, forKey: name) == nil { names.append(name) }
            artistColumn.append(id)
        }
        for (position, title) in titles.enumerated() {
            let owner = title.standsInFor.flatMap { artistIds[$0] } ?? artistColumn[position]
            let work = SongTable.Work(title: title.base, artist: owner)
            let id = workIds[work] ?? Int32(workIds.count)
            workIds[work] = id
            workColumn.append(id)
        }
        // Credits that were folded into another artist still find it.
        for artist in artists where artistIds[artist.withoutGuests] == nil {
            if let first = artist.first, let id = artistIds[first] { artistIds[artist.withoutGuests] = id }
        }
        return SongTable(
            Built(
                columns: columns, artist: artistColumn, work: workColumn, artistNames: names, artistIds: artistIds,
                workIds: workIds))
    }

    private mutating func internGenres(_ genres: [String]) -> Int32 {
        let set = Set(genres.map(folded).filter { !$0.isEmpty })
        guard !set.isEmpty else { return 0 }
        let key = set.sorted()
        if let id = genreSetIds[key] { return id }
        let id = Int32(columns.genreSets.count)
        columns.genreSets.append(set)
        genreSetIds[key] = id
        return id
    }

    private static func fraction(_ value: Double?) -> Double {
        guard let value, value.isFinite else { return .nan }
        return min(max(value, 0), 1)
    }
}
