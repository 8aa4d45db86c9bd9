import Foundation
import Music
import Protocols

/// The hard rules at one moment: which songs of the pool may be picked, and which rules had to give way.
package struct GuardPass: Sendable {
    /// Artists in the pool from which the artist window has its full length: with 30 min and songs of 3½ min, about nine
    /// artists are inside the window at once, and half of the pool stays free.
    package static let artistsForFullWindow = 20.0

    /// For every song the guards that block it, as bits of ``GuardKind``; 0 = nothing against it.
    package let masks: [UInt8]
    /// The same after relaxation: 0 = admissible.
    package let blocked: [UInt8]
    /// Guards that kept at least one song out.
    package let applied: [GuardKind]
    /// Guards that had to give way, in the order of relaxation.
    package let relaxed: [GuardKind]
    package let admissibleCount: Int
    /// Seconds that really hold for this pool.
    package let songWindow: Double
    package let artistWindow: Double
    package let limits: DayLimits?
    private let preferences: Preferences
    private let recent: RecentPlays

    /// - Parameter limits: nil when no time-of-day limit holds or they are waived.
    package init(table: SongTable, recent: RecentPlays, preferences: Preferences, limits: DayLimits?) {
        var masks = [UInt8](repeating: 0, count: table.count)
        Self.markStatic(table, preferences, &masks)
        let pool = Self.poolSize(table, masks)
        let songWindow = min(preferences.avoidRecentMinutes * 60, pool.seconds / 2)
        let share = min(1, Double(max(0, pool.artists - 1)) / Self.artistsForFullWindow)
        let artistWindow = preferences.artistWindowMinutes * 60 * share
        Self.markRecent(table, recent, songWindow, artistWindow, preferences.maxSameArtistInRow, &masks)
        if let limits { Self.mark(limits, table, &masks) }

        var histogram = [Int](repeating: 0, count: 256)
        for mask in masks { histogram[Int(mask)] += 1 }
        let present = histogram.indices.reduce(UInt8(0)) { histogram[$1] > 0 ? $0 | UInt8($1) : $0 }
        let relaxed = Self.relaxation(histogram)
        let lifted = relaxed.reduce(UInt8(0)) { $0 | $1.bit }
        if lifted == 0 {
            blocked = masks
        } else {
            blocked = masks.map { $0 & ~lifted }
        }
        admissibleCount = Self.count(histogram, lifting: lifted)
        applied = GuardKind.names(in: present)
        self.masks = masks
        self.relaxed = relaxed
        self.songWindow = songWindow
        self.artistWindow = artistWindow
        self.limits = limits
        self.preferences = preferences
        self.recent = recent
    }

    /// Names of the relaxations for messages; the song just played falls under the song window.
    package var relaxationNames: [String] {
        var names: [String] = []
        for kind in relaxed {
            let name = kind == .justPlayed ? GuardKind.songWindow.rawValue : kind.rawValue
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Rules that a pick breaks without a relaxation, found song by song from the rules' own words rather than from the
    /// masks: anything but an empty list is a bug.
    package func breaches(of position: Int, in table: SongTable) -> [GuardKind] {
        var broken: Set<GuardKind> = []
        let song = table.refs[position]
        if !table.playable[position] { broken.insert(.unplayable) }
        if Self.neverPlays(song, artist: table.artistNames[Int(table.artist[position])], preferences) {
            broken.insert(.neverPlay)
        }
        for entry in recent.entries {
            if entry.seconds < songWindow {
                if entry.play.song.id == song.id {
                    broken.insert(.songWindow)
                } else if entry.work == table.work[position] {
                    broken.insert(.otherVersions)
                }
            }
            if entry.seconds < artistWindow, entry.artist == table.artist[position] { broken.insert(.artistWindow) }
        }
        let last = recent.entries.suffix(preferences.maxSameArtistInRow)
        if last.count == preferences.maxSameArtistInRow, last.allSatisfy({ $0.artist == table.artist[position] }) {
            broken.insert(.artistInRow)
        }
        if recent.entries.last?.play.song.id == song.id { broken.insert(.justPlayed) }
        if let limits, !limits.allows(bpm: table.bpm[position], energy: table.energy[position]) {
            broken.insert(.timeOfDay)
        }
        return GuardKind.allCases.filter { broken.contains($0) && !relaxed.contains($0) }
    }

    // MARK: - Marking

    private static func markStatic(_ table: SongTable, _ preferences: Preferences, _ masks: inout [UInt8]) {
        for position in masks.indices where !table.playable[position] { masks[position] |= GuardKind.unplayable.bit }
        for entry in preferences.neverPlay {
            if let name = artistName(entry) {
                guard let artist = table.artist(named: name) else { continue }
                for position in table.songs(byArtist: artist) { masks[Int(position)] |= GuardKind.neverPlay.bit }
            } else if let position = table.position(of: entry) {
                masks[position] |= GuardKind.neverPlay.bit
            }
        }
    }

    /// Playing time in seconds and number of artists of the songs that could be played at all.
    private static func poolSize(_ table: SongTable, _ masks: [UInt8]) -> (seconds: Double, artists: Int) {
        var seconds = 0.0
        var seen = [Bool](repeating: false, count: table.artistCount)
        var artists = 0
        for position in masks.indices where masks[position] == 0 {
            seconds += table.playingSeconds(position)
            let artist = Int(table.artist[position])
            if !seen[artist] {
                seen[artist] = true
                artists += 1
            }
        }
        return (seconds, artists)
    }

    private static func markRecent(
        _ table: SongTable, _ recent: RecentPlays, _ songWindow: Double, _ artistWindow: Double, _ inRow: Int,
        _ masks: inout [UInt8]
    ) {
        for entry in recent.entries {
            if entry.seconds < songWindow, let work = entry.work {
                for position in table.songs(ofWork: work) {
                    let isSame = Int(position) == entry.position
                    masks[Int(position)] |= isSame ? GuardKind.songWindow.bit : GuardKind.otherVersions.bit
                }
            }
            if entry.seconds < artistWindow, let artist = entry.artist {
                for position in table.songs(byArtist: artist) { masks[Int(position)] |= GuardKind.artistWindow.bit }
            }
        }
        let last = recent.entries.suffix(inRow)
        if last.count == inRow, let artist = last.first?.artist, last.allSatisfy({ $0.artist == artist }) {
            for position in table.songs(byArtist: artist) { masks[Int(position)] |= GuardKind.artistInRow.bit }
        }
        if let position = recent.entries.last?.position { masks[position] |= GuardKind.justPlayed.bit }
    }

    private static func mark(_ limits: DayLimits, _ table: SongTable, _ masks: inout [UInt8]) {
        for position in masks.indices
        where !limits.allows(bpm: table.bpm[position], energy: table.energy[position]) {
            masks[position] |= GuardKind.timeOfDay.bit
        }
    }

    // MARK: - Relaxing

    /// The guards to lift so that something is left: one more at a time in their order, then every lifted one that turns
    /// out not to be needed is put back, the most important first.
    private static func relaxation(_ histogram: [Int]) -> [GuardKind] {
        var lifted: [GuardKind] = []
        func isEnough(_ kinds: [GuardKind]) -> Bool { count(histogram, lifting: kinds.reduce(0) { $0 | $1.bit }) > 0 }
        if isEnough([]) { return [] }
        for kind in GuardKind.relaxationOrder {
            lifted.append(kind)
            guard isEnough(lifted) else { continue }
            for spare in lifted.reversed() {
                let without = lifted.filter { $0 != spare }
                if isEnough(without) { lifted = without }
            }
            return lifted
        }
        // Nothing can be played at all: nothing was relaxed.
        return []
    }

    private static func count(_ histogram: [Int], lifting lifted: UInt8) -> Int {
        histogram.indices.reduce(0) { UInt8($1) & ~lifted == 0 ? $0 + histogram[$1] : $0 }
    }

    private static func artistName(_ entry: String) -> String? {
        entry.lowercased().hasPrefix("artist:") ? String(entry.dropFirst(7)) : nil
    }

    private static func neverPlays(_ song: SongRef, artist: String, _ preferences: Preferences) -> Bool {
        preferences.neverPlay.contains { entry in
            if let name = artistName(entry) { return ArtistName(name).withoutGuests == artist }
            return entry == song.id
        }
    }
}
