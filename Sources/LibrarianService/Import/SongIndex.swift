import Music
import Protocols

/// All stored songs, to be found by what other files say of them.
struct SongIndex {
    private(set) var rows: [SongRow] = []
    private var byId: [String: Int] = [:]
    private var byPersistentId: [String: Int] = [:]
    private var byLocation: [String: Int] = [:]
    private var byIdentity: [String: [Int]] = [:]
    private var byWords: [String: [Int]] = [:]
    /// Songs that a track of the file being imported was found to be.
    private var claimed: Set<Int> = []

    mutating func append(_ row: SongRow) -> Int {
        let place = rows.count
        rows.append(row)
        byId[row.song.id] = place
        byIdentity[row.identity.key, default: []].append(place)
        byWords[Self.words(row.song), default: []].append(place)
        if let id = row.persistentId { byPersistentId[id] = place }
        return place
    }

    mutating func note(location: String, of place: Int) { byLocation[location] = place }

    mutating func note(location: String, ofSong id: String) {
        if let place = byId[id] { byLocation[location] = place }
    }

    mutating func update(_ place: Int, _ row: SongRow) {
        if rows[place].identity.key != row.identity.key {
            byIdentity[row.identity.key, default: []].append(place)
        }
        if let id = row.persistentId { byPersistentId[id] = place }
        rows[place] = row
    }

    func holds(location: String) -> Bool { byLocation[location] != nil }

    mutating func beginFile() { claimed = [] }

    mutating func claim(_ place: Int) { claimed.insert(place) }

    /// The stored song that a track of a file is: by persistent id, by place, then by artist, title, version and
    /// length. Two tracks of a file with titles of their own stay two songs.
    func match(_ new: IncomingSong) -> Int? {
        if let id = new.persistentId, let place = byPersistentId[id] { return place }
        if let location = new.song.location, let place = byLocation[location], isFree(place, for: new) {
            return place
        }
        if let place = best(byIdentity[new.identity.key] ?? [], for: new) { return place }
        // "A - B - C" in a playlist may be artist "A - B": the words are the same.
        guard new.tagSource == .playlist else { return nil }
        return best(byWords[Self.words(new.song)] ?? [], for: new)
    }

    private func best(_ places: [Int], for new: IncomingSong) -> Int? {
        let fitting = places.filter { place in
            SongIdentity.sameLength(rows[place].song.durationMs, new.song.durationMs) && isFree(place, for: new)
        }
        func distance(_ place: Int) -> Int64 {
            guard let a = rows[place].song.durationMs, let b = new.song.durationMs else {
                return SongIdentity.durationTolerance
            }
            return abs(a - b)
        }
        let sameTitle = fitting.filter { rows[$0].identity.foldedTitle == new.identity.foldedTitle }
        let candidates = sameTitle.isEmpty ? fitting.filter { !claimed.contains($0) } : sameTitle
        return candidates.min { (distance($0), $0) < (distance($1), $1) }
    }

    /// A song that another track of the same library already is cannot be this one too.
    private func isFree(_ place: Int, for new: IncomingSong) -> Bool {
        new.persistentId == nil || !claimed.contains(place)
    }

    /// A new id for a song: from its identity; where that is taken, with its length, then with a number.
    func newId(for new: IncomingSong) -> String {
        var text = new.identity.key
        if byId[SongIdentity.id(of: text)] != nil, let duration = new.song.durationMs {
            text += "\u{1F}\(duration / 1000)"
        }
        var id = SongIdentity.id(of: text)
        var number = 2
        while byId[id] != nil {
            id = SongIdentity.id(of: "\(text)\u{1F}#\(number)")
            number += 1
        }
        return id
    }

    private static func words(_ song: Song) -> String { folded("\(song.artist) \(song.title)") }
}
