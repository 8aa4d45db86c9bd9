/// A tempo with its doubts.
package struct TempoEstimate: Codable, Hashable, Sendable {
    package struct Candidate: Codable, Hashable, Sendable {
        package var bpm: Double
        /// 0…1.
        package var probability: Double
        package init(bpm: Double, probability: Double) {
            self.bpm = bpm
            self.probability = probability
        }
    }

    /// The likeliest tempo, beats per minute, above 0.
    package var bpm: Double
    package var confidence: Double
    /// From an analysis: octave and other alternatives. Empty for a tagged tempo, which is never folded.
    package var candidates: [Candidate]
    /// `tag`, `analysis`, `user`, `csv`.
    package var source: String

    package init(bpm: Double, confidence: Double, candidates: [Candidate] = [], source: String) {
        self.bpm = bpm
        self.confidence = confidence
        self.candidates = candidates
        self.source = source
    }
}

/// One song of the listener's own music. A key that is absent is unknown.
package struct Song: Message {
    package var id: String
    package var title: String
    package var artist: String
    package var albumArtist: String?
    package var album: String?
    package var genres: [String]
    package var year: Int?
    package var durationMs: Int64?
    /// Path or URL.
    package var location: String?
    package var tempo: TempoEstimate?
    /// 0…1 each.
    package var energy: Double?
    package var valence: Double?
    package var instrumentalness: Double?
    package var acousticDensity: Double?
    package var acousticness: Double?
    package var danceability: Double?
    package var speechiness: Double?
    package var loudnessLufs: Double?
    /// `C`, `Am`, …
    package var key: String?
    /// Mood words, as tagged or corrected.
    package var moods: [String]
    /// Names of the fields that the user corrected.
    package var corrected: [String]
    /// False when the file is known to be missing or unreadable.
    package var playable: Bool
    /// From the library's own play counters, where it has them.
    package var playCount: Int?
    package var skipCount: Int?
    package var lastPlayedAt: Timestamp?
    package var addedAt: Timestamp?
    package var hasArt: Bool

    package init(
        id: String, title: String, artist: String, albumArtist: String? = nil, album: String? = nil,
        genres: [String] = [], year: Int? = nil, durationMs: Int64? = nil, location: String? = nil,
        tempo: TempoEstimate? = nil, energy: Double? = nil, valence: Double? = nil, instrumentalness: Double? = nil,
        acousticDensity: Double? = nil, acousticness: Double? = nil, danceability: Double? = nil,
        speechiness: Double? = nil, loudnessLufs: Double? = nil, key: String? = nil, moods: [String] = [],
        corrected: [String] = [], playable: Bool = true, playCount: Int? = nil, skipCount: Int? = nil,
        lastPlayedAt: Timestamp? = nil, addedAt: Timestamp? = nil, hasArt: Bool = false
    ) {
        self.id = id
        self.title = title
        self.artist = artist
        self.albumArtist = albumArtist
        self.album = album
        self.genres = genres
        self.year = year
        self.durationMs = durationMs
        self.location = location
        self.tempo = tempo
        self.energy = energy
        self.valence = valence
        self.instrumentalness = instrumentalness
        self.acousticDensity = acousticDensity
        self.acousticness = acousticness
        self.danceability = danceability
        self.speechiness = speechiness
        self.loudnessLufs = loudnessLufs
        self.key = key
        self.moods = moods
        self.corrected = corrected
        self.playable = playable
        self.playCount = playCount
        self.skipCount = skipCount
        self.lastPlayedAt = lastPlayedAt
        self.addedAt = addedAt
        self.hasArt = hasArt
    }

    package var ref: SongRef { SongRef(id: id, title: title, artist: artist, album: album, durationMs: durationMs) }
}

package struct LibraryRevision: Message {
    /// Grows with every change.
    package var revision: Int64
    package var songs: Int
    package var playlists: Int
    /// Songs with tempo and energy known.
    package var analysed: Int
    /// The others.
    package var pending: Int
    package init(revision: Int64, songs: Int, playlists: Int, analysed: Int, pending: Int) {
        self.revision = revision
        self.songs = songs
        self.playlists = playlists
        self.analysed = analysed
        self.pending = pending
    }
}
