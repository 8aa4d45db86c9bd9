import Protocols

/// What the wearer can do at the watch.
package enum WatchCommand: Equatable, Sendable {
    case play, pause, resume, skip, previous
    /// 1…5 each.
    case mood(Int, Int)
    case crown(Double, NudgeKind)
    case volume(Double)
    case djMode(Bool)

    /// What can be typed.
    package static let help = """
        play, pause, resume, skip, previous, mood MOOD ENERGY (1…5), crown DELTA [energy|intensity] (−1…1), \
        volume V (0…1), dj on|off
        """

    /// Reads a typed line.
    ///
    /// - Throws: ``Refusal`` `invalid` that says what can be typed.
    package init(line: some StringProtocol) throws(Refusal) {
        let words = line.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        let invalid = Refusal(code: "invalid", message: "'\(line)' is no command; try: \(Self.help)")
        let number = words.count > 1 ? Double(words[1]) : nil
        switch (words.first, words.count) {
        case ("play", 1): self = .play
        case ("pause", 1): self = .pause
        case ("resume", 1): self = .resume
        case ("skip", 1): self = .skip
        case ("previous", 1): self = .previous
        case ("mood", 3):
            guard let mood = Int(words[1]), let energy = Int(words[2]), (1...5).contains(mood), (1...5).contains(energy)
            else { throw invalid }
            self = .mood(mood, energy)
        case ("crown", 2), ("crown", 3):
            guard let number, (-1...1).contains(number),
                let kind = words.count == 2 ? .energy : NudgeKind(rawValue: words[2])
            else { throw invalid }
            self = .crown(number, kind)
        case ("volume", 2):
            guard let number, (0...1).contains(number) else { throw invalid }
            self = .volume(number)
        case ("dj", 2):
            guard words[1] == "on" || words[1] == "off" else { throw invalid }
            self = .djMode(words[1] == "on")
        default: throw invalid
        }
    }
}
