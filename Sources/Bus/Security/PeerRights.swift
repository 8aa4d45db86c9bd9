import Protocols

/// What the holder of a key may do on the bus. What is not named is not allowed.
///
/// Topics are written as in a subscription: `bio/heart-rate` is a family, `bio/` all below it, `*` everything.
/// Requests and process names are whole (`brain/skip`, `sensor-emitter`) or end in `*`.
package struct PeerRights: Codable, Hashable, Sendable {
    /// Names under which it may say hello.
    package var processes: [String]
    /// Topics that it may publish, as far as the registry lets its process; its own heartbeat and figures always.
    package var publish: [String]
    /// Topics that it may hear, as they come, as kept values and in answers.
    package var hear: [String]
    /// Requests that it may make, as `process/name`.
    package var ask: [String]

    package init(processes: [String], publish: [String], hear: [String], ask: [String]) {
        self.processes = processes
        self.publish = publish
        self.hear = hear
        self.ask = ask
    }

    package func mayBe(_ process: ProcessName) -> Bool { Self.fits(process.rawValue, processes) }

    package func mayPublish(_ topic: String) -> Bool { Self.filter(publish).matches(topic) }

    package func mayHear(_ topic: String) -> Bool { Self.filter(hear).matches(topic) }

    package func mayAsk(_ process: String, _ name: String) -> Bool { Self.fits("\(process)/\(name)", ask) }

    /// As much of a subscription as the rights reach: itself, narrower ones, or nothing.
    ///
    /// - Parameter prefix: bytes of the first frame, as on the wire.
    package func narrowed(_ prefix: [UInt8]) -> [[UInt8]] {
        if Self.isSync(prefix) { return [prefix] }
        let reach = Self.filter(hear).wirePrefixes
        if reach.contains(where: { prefix.starts(with: $0) }) { return [prefix] }
        return reach.filter { $0.starts(with: prefix) }
    }

    /// `~sync/EPOCH` says only that somebody has joined, and everybody needs their own.
    private static func isSync(_ prefix: [UInt8]) -> Bool {
        let start = Array("~sync/".utf8)
        return prefix.starts(with: start) && prefix.last == 0 && prefix.count <= start.count + 17
    }

    private static func filter(_ topics: [String]) -> TopicFilter {
        TopicFilter(topics.map { $0 == "*" ? "" : $0 })
    }

    private static func fits(_ text: String, _ patterns: [String]) -> Bool {
        patterns.contains { $0.hasSuffix("*") ? text.hasPrefix($0.dropLast()) : text == $0 }
    }
}

/// A set of rights that has a name.
package enum RightsProfile: String, Codable, Sendable, CaseIterable {
    /// A watch or another sensor host: tells what it senses and what its wearer wants, sees what plays.
    case watch
    /// A dashboard: hears the music and the machinery, nothing of the body, the state or the desktop; asks nothing else.
    case reader
    /// Everything: a second computer of the same person.
    case full

    /// - Parameter name: the name of the pairing, which a process of that host may also use.
    package func rights(for name: String) -> PeerRights {
        switch self {
        case .watch:
            PeerRights(
                processes: [ProcessName.sensor.rawValue, name], publish: ["bio/", "input/"],
                hear: ["music/now", "music/glance", "time/", "sys/heartbeat/hub", "sys/heartbeat/brain"],
                ask: [Play.name, Pause.name, Resume.name, Skip.name, Previous.name, SetVolume.name, SetDJMode.name]
                    .map { "\(ProcessName.brain)/\($0)" } + ["\(GetSong.target)/\(GetSong.name)"])
        case .reader:
            PeerRights(
                processes: [name, "cli-*"], publish: [], hear: ["music/", "player/", "library/", "sys/", "time/"],
                ask: ["hub/peers", "hub/snapshot"])
        case .full: PeerRights(processes: ["*"], publish: ["*"], hear: ["*"], ask: ["*"])
        }
    }
}
