import Bus
import Decisions
import Foundation
import Logging
import Music
import Protocols

extension BrainService {
    private static let retrySeconds = 5.0

    /// The pool has to be read again: another selection, or the library has changed.
    func wantPool(_ bus: any BusPort) {
        poolStale = true
        loader = nil
        nextLoadAt = nil
        loadGeneration += 1
        loadPoolIfNeeded(bus)
    }

    func loadPoolIfNeeded(_ bus: any BusPort) {
        guard poolStale, loader == nil, !chosen.isEmpty else { return }
        if let nextLoadAt, bus.now < nextLoadAt { return }
        let loader = PoolLoader(playlists: chosen)
        self.loader = loader
        ask(loader.first, generation: loadGeneration, bus)
    }

    private func ask(_ question: ListSongs, generation: Int, _ bus: any BusPort) {
        bus.ask(question, deadline: .seconds(10)) { [weak self] result in
            await self?.pageCame(result, generation: generation, bus)
        }
    }

    private func pageCame(_ result: Result<SongPage, Refusal>, generation: Int, _ bus: any BusPort) {
        guard generation == loadGeneration, var loader else { return }
        switch result {
        case .failure(let refusal):
            self.loader = nil
            nextLoadAt = bus.now.adding(seconds: Self.retrySeconds)
            if librarianTrouble == nil {
                logger.warning("the library cannot be read", metadata: ["code": "\(refusal.code)"])
            }
            librarianTrouble = refusal.code
            publishMusic(bus)
        case .success(let page):
            librarianTrouble = nil
            switch loader.take(page) {
            case .ask(let question):
                self.loader = loader
                ask(question, generation: generation, bus)
            case .done(let read):
                self.loader = nil
                settle(read, bus)
                adopt(read, bus)
            }
        }
        flush(bus)
    }

    /// What was read is the library as it stands, unless that was announced to have moved on: then it is read again, but
    /// not at once, so that a library that keeps changing is still played from.
    private func settle(_ read: SongPool, _ bus: any BusPort) {
        poolStale = (libraryRevision ?? read.revision) > read.revision
        nextLoadAt = poolStale ? bus.now.adding(seconds: Self.retrySeconds) : nil
        let kept = KeptPool(playlists: chosen, pool: read)
        save { db in try BrainStore.keep(kept, as: KeptPool.name, in: db) }
    }

    /// The library says that it has changed.
    func libraryChanged(to revision: Int64, _ bus: any BusPort) {
        libraryRevision = revision
        // A reading that is under way sees the change by itself; starting over each time might never come to an end.
        if revision != pool.revision, loader == nil { wantPool(bus) }
    }

    /// Takes a pool that is complete: another selection ends a song that is not part of it.
    func adopt(_ read: SongPool, _ bus: any BusPort) {
        // The first reading after a start brings back what the waiting pick was chosen from.
        let isReturn = poolGeneration == 0
        pool = read
        poolGeneration += 1
        if !read.missing.isEmpty {
            logger.warning("chosen playlists are missing", metadata: ["missing": "\(read.missing.count)"])
        }
        logger.info("songs to choose from", metadata: ["songs": "\(read.songs.count)", "revision": "\(read.revision)"])
        if !isReturn { redecide = "the songs to choose from have changed" }
        if let waiting = resume.turns.queued, pool.song(waiting.song.id) == nil { resume.turns.queue(nil) }
        if let play = resume.turns.current, pool.song(play.pick.song.id) == nil, pool.playable > 0 {
            replace(bus)
        }
        keepReady(bus)
        keepPlaying(bus)
        publishMusic(bus)
    }

    /// Ends the current song, which no longer belongs to the source, in favour of one that does.
    private func replace(_ bus: any BusPort) {
        if resume.wantsMusic, let pick = decide(bus, reason: "the playlist has changed") {
            start(pick, bus)
        } else {
            tellPlayer(PlayerStop(outcome: PlayOutcome.replaced.rawValue), bus)
        }
    }

    /// A song that the player could not play is not offered again until the library is read anew.
    func markUnplayable(_ songId: String) { pool.markUnplayable(songId) }

    /// Chooses other playlists; answers once their songs are there.
    func use(_ names: [String], for request: IncomingRequest, _ bus: any BusPort) {
        let wanted = names.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard !wanted.isEmpty else {
            request.refuse(Refusal(code: "invalid", message: "name at least one playlist; see `resonance playlists`"))
            return
        }
        readSelection(PoolLoader(playlists: wanted), nil, for: request, bus)
    }

    private func readSelection(
        _ loader: PoolLoader, _ question: ListSongs?, for request: IncomingRequest, _ bus: any BusPort
    ) {
        bus.ask(question ?? loader.first, deadline: .seconds(10)) { [weak self] result in
            await self?.selectionCame(result, loader, for: request, bus)
        }
    }

    private func selectionCame(
        _ result: Result<SongPage, Refusal>, _ loader: PoolLoader, for request: IncomingRequest, _ bus: any BusPort
    ) {
        switch result {
        case .failure(let refusal): request.refuse(refusal)
        case .success(let page):
            guard page.missing.isEmpty else {
                request.refuse(
                    Refusal(
                        code: "not-found",
                        message:
                            "there is no playlist \(page.missing.joined(separator: ", ")); see `resonance playlists`"))
                return
            }
            var loader = loader
            switch loader.take(page) {
            case .ask(let question): readSelection(loader, question, for: request, bus)
            case .done(let read): choose(loader.playlists, read, for: request, bus)
            }
        }
        flush(bus)
    }

    private func choose(
        _ names: [String], _ read: SongPool, for request: IncomingRequest, _ bus: any BusPort
    ) {
        chosen = names
        save { db in try BrainStore.setChosenPlaylists(names, in: db) }
        // What was being read for the old selection is no longer wanted.
        loadGeneration += 1
        loader = nil
        librarianTrouble = nil
        settle(read, bus)
        resume.turns.queue(nil)
        adopt(read, bus)
        let count = read.playable
        let start = resume.wantsMusic ? "" : "; start with `resonance play`"
        request.reply(
            Done(
                note: count == 0
                    ? "this selection holds no song that can be played" : "\(count) songs to choose from\(start)"))
    }
}
