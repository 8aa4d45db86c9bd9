import Decisions
import Foundation
import Protocols

/// What the brain must not forget when it dies: read at its next start, written whenever it changes.
package struct ResumeState: Codable, Equatable, Sendable {
    package var turns = Turns()
    package var session: ListeningSession?
    /// What the context remembers: stillness, workouts, the last sleep, changes.
    package var synthesis = StateSynthesis()
    package var mood: Mood?
    package var nudges = CrownNudges()
    package var lastState: StateVector?
    /// The listener wants music: true from play, false from pause and stop.
    package var wantsMusic = false
    /// Plays and decisions made so far; ids and random draws follow from it.
    package var counter: UInt64 = 0
    package var breaches = 0
    package var relaxations = 0
    /// Plays that are over and wait for the last samples before they are learnt from.
    package var unlearnt: [FinishedPlay] = []

    package init() {}
}
