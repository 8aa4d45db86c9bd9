/// What was drunk.
package enum Drink: String, Codable, Hashable, Sendable, CaseIterable { case water, coffee, tea, soda, other }

/// What an entry of the journal is about.
package enum JournalKind: String, Codable, Hashable, Sendable, CaseIterable { case mood, hydration, caffeine, exertion }

/// One entry of the journal: what the listener says about themselves. Only the keys of its kind are there.
package struct JournalEntry: Message {
    package var at: Timestamp
    package var kind: Open<JournalKind>
    /// Mood: one of the eight, or absent when only the scales were said.
    package var mood: Open<NamedMood>?
    /// Mood: 1 (low) … 5 (high).
    package var energy: Int?
    /// Mood: 1 (calm) … 5 (very stressed).
    package var stress: Int?
    /// Hydration: ml.
    package var amountMl: Double?
    package var drink: Open<Drink>?
    /// Caffeine: mg; 0 says that there was none that day.
    package var caffeineMg: Double?
    /// Caffeine: what it was in, `espresso`.
    package var source: String?
    /// Exertion: 0 (rest) … 10 (maximal), of a whole session (Foster).
    package var exertion: Double?
    /// Exertion: start of the workout that it belongs to.
    package var workoutAt: Timestamp?
    package var note: String?

    package init(
        at: Timestamp, kind: JournalKind, mood: NamedMood? = nil, energy: Int? = nil, stress: Int? = nil,
        amountMl: Double? = nil, drink: Drink? = nil, caffeineMg: Double? = nil, source: String? = nil,
        exertion: Double? = nil, workoutAt: Timestamp? = nil, note: String? = nil
    ) {
        self.at = at
        self.kind = Open(kind)
        self.mood = mood.map { Open($0) }
        self.energy = energy
        self.stress = stress
        self.amountMl = amountMl
        self.drink = drink.map { Open($0) }
        self.caffeineMg = caffeineMg
        self.source = source
        self.exertion = exertion
        self.workoutAt = workoutAt
        self.note = note
    }
}
