/// Writes one entry into the journal. The same moment and kind again replaces the entry.
package struct AddJournal: Request {
    package typealias Reply = JournalEntry
    package static let target = ProcessName.body
    package static let name = "journal-add"
    package var entry: JournalEntry

    package init(entry: JournalEntry) { self.entry = entry }
}

/// Takes back the entry that was written last.
package struct UndoJournal: Request {
    package typealias Reply = JournalEntry
    package static let target = ProcessName.body
    package static let name = "journal-undo"
    /// Of this kind alone.
    package var kind: String?

    package init(kind: String? = nil) { self.kind = kind }
}

/// Entries of the journal, newest first.
package struct ListJournal: Request {
    package typealias Reply = JournalPage
    package static let target = ProcessName.body
    package static let name = "journal"
    package var from: Timestamp
    /// Not part of it any more.
    package var to: Timestamp
    package var limit: Int
    package var kind: String?

    package init(from: Timestamp, to: Timestamp, limit: Int = 200, kind: String? = nil) {
        self.from = from
        self.to = to
        self.limit = limit
        self.kind = kind
    }
}

/// Entries of the journal.
package struct JournalPage: Message {
    /// Newest first.
    package var entries: [JournalEntry]
    package var truncated: Bool
    /// mg that remain now, by decay.
    package var caffeineNowMg: Double
    /// When less than 25 mg remain; absent when that is so already.
    package var caffeineClearsAt: Timestamp?
    /// Today, ml.
    package var hydrationTodayMl: Double

    package init(
        entries: [JournalEntry], truncated: Bool, caffeineNowMg: Double, caffeineClearsAt: Timestamp?,
        hydrationTodayMl: Double
    ) {
        self.entries = entries
        self.truncated = truncated
        self.caffeineNowMg = caffeineNowMg
        self.caffeineClearsAt = caffeineClearsAt
        self.hydrationTodayMl = hydrationTodayMl
    }
}

/// What in the journal goes together with HRV and stress.
package struct GetCorrelations: Request {
    package typealias Reply = CorrelationReport
    package static let target = ProcessName.body
    package static let name = "correlations"
    /// Days back from today, 14…3660.
    package var days: Int

    package init(days: Int = 90) { self.days = days }
}

/// What in the journal goes together with HRV and stress: never more than the days can carry.
package struct CorrelationReport: Message {
    package var days: Int
    package var rows: [Row]
    /// How the rows are to be read, in sentences.
    package var notes: [String]

    /// One comparison.
    package struct Row: Codable, Hashable, Sendable {
        /// `mood` `energy` `saidStress` `hydration` `caffeine` `caffeineAtNight` `exertion` `load` `sleep`.
        package var factor: String
        /// `hrv` (ln RMSSD or SDNN of the night) or `stress` (mean of the day).
        package var outcome: String
        /// Days with both.
        package var n: Int
        /// As many independent days.
        package var effectiveN: Double
        /// Spearman, −1…1; absent without enough data.
        package var coefficient: Double?
        /// 95 % interval.
        package var low: Double?
        package var high: Double?
        /// `notEnoughData` `noEvidence` `lowerTogether` `higherTogether`.
        package var verdict: String
        /// The row in a sentence.
        package var text: String

        package init(
            factor: String, outcome: String, n: Int, effectiveN: Double, coefficient: Double?, low: Double?,
            high: Double?, verdict: String, text: String
        ) {
            self.factor = factor
            self.outcome = outcome
            self.n = n
            self.effectiveN = effectiveN
            self.coefficient = coefficient
            self.low = low
            self.high = high
            self.verdict = verdict
            self.text = text
        }
    }

    package init(days: Int, rows: [Row], notes: [String]) {
        self.days = days
        self.rows = rows
        self.notes = notes
    }
}

/// Keeps a breathing session that a face has guided.
package struct KeepBreathing: Request {
    package typealias Reply = BreathingSession
    package static let target = ProcessName.body
    package static let name = "breathing-keep"
    package var startAt: Timestamp
    package var endAt: Timestamp
    /// Seconds of in, hold, out, hold: `5-0-5-0`.
    package var pattern: String
    package var breaths: Int

    package init(startAt: Timestamp, endAt: Timestamp, pattern: String, breaths: Int) {
        self.startAt = startAt
        self.endAt = endAt
        self.pattern = pattern
        self.breaths = breaths
    }
}

/// Breathing sessions, newest first.
package struct ListBreathing: Request {
    package typealias Reply = BreathingPage
    package static let target = ProcessName.body
    package static let name = "breathing"
    package var from: Timestamp
    package var to: Timestamp
    package var limit: Int

    package init(from: Timestamp, to: Timestamp, limit: Int = 200) {
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// A paced breathing session with what the heart did.
package struct BreathingSession: Message {
    package var startAt: Timestamp
    package var endAt: Timestamp
    package var pattern: String
    package var breaths: Int
    /// Of the two minutes before, and of the two after it began to end; absent when nothing was measured.
    package var bpmBefore: Double?
    package var bpmAfter: Double?
    package var rmssdBeforeMs: Double?
    package var rmssdAfterMs: Double?

    package init(
        startAt: Timestamp, endAt: Timestamp, pattern: String, breaths: Int, bpmBefore: Double? = nil,
        bpmAfter: Double? = nil, rmssdBeforeMs: Double? = nil, rmssdAfterMs: Double? = nil
    ) {
        self.startAt = startAt
        self.endAt = endAt
        self.pattern = pattern
        self.breaths = breaths
        self.bpmBefore = bpmBefore
        self.bpmAfter = bpmAfter
        self.rmssdBeforeMs = rmssdBeforeMs
        self.rmssdAfterMs = rmssdAfterMs
    }
}

/// Breathing sessions.
package struct BreathingPage: Message {
    package var sessions: [BreathingSession]
    package var truncated: Bool

    package init(sessions: [BreathingSession], truncated: Bool) {
        self.sessions = sessions
        self.truncated = truncated
    }
}
