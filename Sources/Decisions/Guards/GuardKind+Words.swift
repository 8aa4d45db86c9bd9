extension GuardKind {
    /// Why a song is kept out, as the end of a sentence: "it was played a short while ago".
    package func reason(limits: DayLimits?) -> String {
        switch self {
        case .neverPlay: "it is on your never-play list"
        case .unplayable: "its file cannot be played"
        case .songWindow: "it was played a short while ago"
        case .otherVersions: "another version of it was played a short while ago"
        case .artistWindow: "its artist was played a short while ago"
        case .artistInRow: "its artist has been on too often in a row"
        case .timeOfDay:
            limits.map { "it is above the \($0.part.rawValue) limit of \(Int($0.maximumBpm)) BPM" }
                ?? "it is above the limit of the hour"
        case .justPlayed: "it has just been played"
        case .sourcePlaylists: "it is not in the chosen playlists"
        }
    }

    /// What the listener can do about it.
    package var cure: String {
        switch self {
        case .neverPlay: "take it off with `resonance prefs set neverPlay …`"
        case .unplayable: "see its file with `resonance song`"
        case .songWindow, .otherVersions, .artistWindow, .artistInRow, .justPlayed, .timeOfDay:
            "wait, or ask for it at once with `resonance play`"
        case .sourcePlaylists: "choose a playlist that holds it with `resonance use`"
        }
    }
}
