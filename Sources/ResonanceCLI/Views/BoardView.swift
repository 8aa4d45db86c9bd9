import Foundation
import Protocols

/// Shows a ``Board``: as a screen for a person, or as one line per change for a file.
struct BoardView {
    var style: TextStyle
    /// Columns of the screen; nil = as wide as needed.
    var width: Int?
    var timeZone: TimeZone

    init(_ terminal: Terminal) {
        style = terminal.style
        width = terminal.width
        timeZone = terminal.timeZone
    }

    private var columns: Int { min(width ?? 100, 100) }

    func lines(_ board: Board) -> [String] {
        var lines = songLines(board)
        if let state = board.state { lines += [""] + stateLines(state) }
        let text = board.why.map(\.text)
        if text != nil || board.next != nil { lines.append("") }
        if let text { lines += paragraph("why", text) }
        if let next = board.next { lines += paragraph("next", Wording.song(next)) }
        if !board.hubAnswers {
            lines += ["", style.red(fit("The hub is silent; this is the last that it said. See `resonance doctor`."))]
        } else if let trouble = Self.trouble(board) {
            lines += [
                "",
                style.yellow(fit("\(trouble.prefix(1).uppercased() + trouble.dropFirst()). See `resonance doctor`.")),
            ]
        }
        return lines
    }

    /// Who is missing or does not answer; nil when all do.
    private static func trouble(_ board: Board) -> String? {
        let parts = [("not running", board.missing), ("not answering", board.silent)].filter { !$0.1.isEmpty }
        return parts.isEmpty ? nil : parts.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "; ")
    }

    private func songLines(_ board: Board) -> [String] {
        guard let now = board.now else {
            return [
                style.bold(fit("■ Nothing is known")), fit("  the DJ has not said anything; see `resonance doctor`"),
            ]
        }
        guard let song = now.song else {
            let notice = now.notice ?? "nothing has been chosen; see `resonance playlists` and `resonance use`"
            return [style.bold(fit("■ Nothing plays")), fit("  \(notice)")]
        }
        var lines = [style.bold(fit("\(now.playing ? "▶" : "‖") \(Wording.song(song))"))]
        var details = [now.playlist, now.pick.map { "picked by \(Self.picker($0))" }].compactMap { $0 }
        if let volume = board.progress?.volume { details.append("volume \(Wording.percent(volume))") }
        let duration = now.durationMs ?? song.durationMs
        if let position = board.positionMs {
            let end = duration.map { Wording.clock($0) } ?? "?"
            let cells = max(8, min(40, columns - 20))
            let share = duration.map { $0 > 0 ? Double(position) / Double($0) : 0 } ?? 0
            lines.append(fit("  \(Wording.clock(position)) \(Wording.bar(share, cells: cells)) \(end)"))
        } else if let duration {
            details.append(Wording.clock(duration))
        }
        if !details.isEmpty { lines.append(style.dim(fit("  " + details.joined(separator: " · ")))) }
        if let notice = now.notice { lines.append(style.yellow(fit("  " + notice))) }
        return lines
    }

    func stateLines(_ state: StateVector) -> [String] {
        var head = ["\(state.activityContext.rawValue) → \(state.need.rawValue)"]
        head.append("confidence \(Wording.percent(state.confidence))")
        if let bpm = state.bpm { head.append("heart \(Wording.decimal(bpm, 0)) BPM") }
        if let gate = state.stressGate, gate.value != StressGate.none { head.append("stress held: \(gate.rawValue)") }
        let cells = max(8, min(24, columns - 24))
        let bars: [(String, Double)] = [
            ("arousal", state.arousal), ("energy", state.energy), ("focus", state.focus), ("stress", state.stress),
            ("valence", state.valence),
        ]
        return ["  " + style.cyan(fit(head.joined(separator: " · "), less: 2))]
            + bars.map { name, value in
                "  \(Wording.pad(name, to: 9))\(Wording.bar(value, cells: cells)) \(Wording.decimal(value))"
            }
    }

    private func paragraph(_ label: String, _ text: String) -> [String] {
        let wrapped = Wording.wrap(text.printable, to: columns - 9)
        return wrapped.enumerated().map { index, line in
            "  " + style.dim(Wording.pad(index == 0 ? label : "", to: 7)) + line
        }
    }

    private func fit(_ text: String, less: Int = 0) -> String {
        width == nil ? text.printable : Wording.fit(text.printable, to: columns - less)
    }

    static func picker(_ pick: Open<PickKind>) -> String {
        switch pick {
        case .known(.ai): "the DJ"
        case .known(.user): "you"
        case .known(.adviser): "an adviser"
        case .unknown(let name): name
        }
    }

    /// One line for a log: time, what it is about, what is now.
    func line(_ change: Board.Change, _ board: Board, at: Timestamp) -> String {
        func line(_ topic: String, _ text: String) -> String {
            "\(Wording.timeOfDay(at, timeZone)) \(Wording.pad(topic, to: 8)) \(text.printable)"
        }
        switch change {
        case .song:
            guard let now = board.now, let song = now.song else { return line("stopped", "nothing plays") }
            let length = (now.durationMs ?? song.durationMs).map { " (\(Wording.clock($0)))" } ?? ""
            let list = now.playlist.map { " [\($0)]" } ?? ""
            return line(now.playing ? "playing" : "paused", Wording.song(song) + length + list)
        case .notice: return line("notice", board.now?.notice ?? "")
        case .reason: return line("because", board.why?.text ?? "")
        case .hub:
            if !board.hubAnswers { return line("hub", "silent") }
            return line("hub", Self.trouble(board) ?? "all processes run")
        case .state:
            guard let state = board.state else { return line("state", "unknown") }
            let figures = [
                ("arousal", state.arousal), ("energy", state.energy), ("focus", state.focus),
                ("stress", state.stress), ("valence", state.valence),
            ].map { "\($0) \(Wording.decimal($1))" }.joined(separator: " ")
            let heart = state.bpm.map { " heart \(Wording.decimal($0, 0))" } ?? ""
            return line(
                "state",
                "\(state.activityContext.rawValue) → \(state.need.rawValue) \(figures)\(heart)"
                    + " confidence \(Wording.percent(state.confidence))")
        }
    }
}
