import Protocols

/// The songs of the chosen playlists as columns, ready for ranking; position `i` is the same song in every column.
///
/// Unknown is NaN in the feature columns and never leaves this module as a number.
package struct SongTable: Sendable {
    package let refs: [SongRef]
    /// Beats per minute of the likeliest tempo; NaN when unknown.
    package let bpm: [Double]
    /// What tempo doubt leaves at one half, and the weights of the candidates, see ``TempoCandidates``.
    package let tempoNeutral: [Double]
    package let tempoWeight: [Double]
    package let secondBpm: [Double]
    package let secondWeight: [Double]
    package let thirdBpm: [Double]
    package let thirdWeight: [Double]
    /// False when no song has tempo alternatives: the four columns above are then all zero.
    package let hasTempoAlternatives: Bool
    /// 0…1 or NaN each.
    package let energy: [Double]
    package let valence: [Double]
    package let instrumentalness: [Double]
    package let density: [Double]
    /// Number of known features (tempo, energy, valence, instrumentalness, density) as a share, 0…1.
    package let knownShare: [Double]
    /// Seconds; NaN when unknown.
    package let seconds: [Double]
    /// Primary artist and song (base title and artist), interned: 0..<`artistCount`, 0..<`workCount`.
    package let artist: [Int32]
    package let work: [Int32]
    /// Interned set of genres; 0 = none known.
    package let genreSet: [Int32]
    /// ``MusicalKey/index``, or ``MusicalKey/count`` when unknown.
    package let key: [Int32]
    package private(set) var playable: [Bool]
    /// Position of each song in the order of ids: breaks ties the same way however the table is ordered.
    package let idRank: [Int32]
    /// Songs in the order of their ids.
    package let byId: [Int32]
    package let artistNames: [String]
    package let artistCount: Int
    package let workCount: Int
    /// Folded genres of each interned set.
    package let genreSets: [Set<String>]

    private let positions: [String: Int]
    private let artistGroups: Groups
    private let workGroups: Groups
    private let artistIds: [String: Int32]
    private let workIds: [Work: Int32]

    package var count: Int { refs.count }

    /// Playing time assumed for a song of unknown length, seconds.
    package static let usualSeconds = 210.0

    package init(_ songs: some Sequence<Song>) {
        var builder = SongTableBuilder()
        for song in songs { builder.append(song) }
        self = builder.table()
    }

    /// Position of a song, or nil when it is not in the pool.
    package func position(of id: String) -> Int? { positions[id] }

    /// Positions of the songs by an interned artist.
    package func songs(byArtist artist: Int32) -> ArraySlice<Int32> { artistGroups[artist] }

    /// Positions of all versions of an interned song.
    package func songs(ofWork work: Int32) -> ArraySlice<Int32> { workGroups[work] }

    /// The interned artist of a credit that may not be in the pool itself ("A feat. B" finds A).
    package func artist(named credit: String) -> Int32? {
        let name = ArtistName(credit)
        return artistIds[name.withoutGuests] ?? name.first.flatMap { artistIds[$0] }
    }

    /// The interned song that a title and a credit are a version of.
    package func work(title: String, artist credit: String) -> Int32? {
        let parts = TitleParts(title)
        if let original = parts.standsInFor, let found = artistIds[original] {
            return workIds[Work(title: parts.base, artist: found)]
        }
        return artist(named: credit).flatMap { workIds[Work(title: parts.base, artist: $0)] }
    }

    /// A song turned out not to be playable.
    package mutating func markUnplayable(_ position: Int) { playable[position] = false }

    /// Playing time of a song in seconds, assumed when unknown.
    package func playingSeconds(_ position: Int) -> Double {
        seconds[position].isFinite ? seconds[position] : Self.usualSeconds
    }

    struct Work: Hashable {
        let title: String
        let artist: Int32
    }

    init(_ built: SongTableBuilder.Built) {
        let source = built.columns
        refs = source.refs
        bpm = source.bpm
        tempoNeutral = source.tempoNeutral
        tempoWeight = source.tempoWeight
        secondBpm = source.secondBpm
        secondWeight = source.secondWeight
        thirdBpm = source.thirdBpm
        thirdWeight = source.thirdWeight
        hasTempoAlternatives = source.secondWeight.contains { $0 > 0 }
        energy = source.energy
        valence = source.valence
        instrumentalness = source.instrumentalness
        density = source.density
        knownShare = source.knownShare
        seconds = source.seconds
        genreSet = source.genreSet
        key = source.key
        playable = source.playable
        genreSets = source.genreSets
        artist = built.artist
        work = built.work
        artistNames = built.artistNames
        artistCount = built.artistNames.count
        workCount = built.workIds.count
        artistIds = built.artistIds
        workIds = built.workIds
        let count = source.refs.count
        let order = (0..<count).sorted { source.refs[$0].id < source.refs[$1].id }
        var rank = [Int32](repeating: 0, count: count)
        for (place, position) in order.enumerated() { rank[position] = Int32(place) }
        idRank = rank
        byId = order.map(Int32.init)
        positions = source.positions
        artistGroups = Groups(built.artist, count: built.artistNames.count)
        workGroups = Groups(built.work, count: built.workIds.count)
    }
}

/// Members of each group, laid end to end.
private struct Groups: Sendable {
    private let members: [Int32]
    private let starts: [Int]

    init(_ group: [Int32], count: Int) {
        var starts = [Int](repeating: 0, count: count + 1)
        for id in group { starts[Int(id) + 1] += 1 }
        for id in 0..<count { starts[id + 1] += starts[id] }
        var next = starts
        var members = [Int32](repeating: 0, count: group.count)
        for (position, id) in group.enumerated() {
            members[next[Int(id)]] = Int32(position)
            next[Int(id)] += 1
        }
        self.starts = starts
        self.members = members
    }

    subscript(group: Int32) -> ArraySlice<Int32> { members[starts[Int(group)]..<starts[Int(group) + 1]] }
}
