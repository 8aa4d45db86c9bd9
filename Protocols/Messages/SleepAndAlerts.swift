package enum SleepQuality: String, Codable, Hashable, Sendable, CaseIterable { case excellent, good, fair, poor }

/// The last night.
package struct SleepReport: Message {
    package var at: Timestamp
    /// Local date of the morning, `2026-03-04`.
    package var night: String
    /// The main sleep: first moment asleep and last.
    package var startAt: Timestamp
    package var endAt: Timestamp
    package var asleepMinutes: Double
    /// Absent when nobody told it.
    package var inBedMinutes: Double?
    package var awakeMinutes: Double
    /// Absent when the source tells no stages.
    package var stages: Stages?
    /// 0…100, weights in `docs/stress-sleep.md`.
    package var score: Int?
    package var quality: Open<SleepQuality>?
    package var parts: [Part]
    /// RMSSD of the night's still minutes (from the mean of their logarithms), and how many there were.
    package var rmssdMs: Double?
    package var hrvMinutes: Int?
    /// Mean heart rate asleep.
    package var bpm: Double?
    package var goalMinutes: Double
    /// Proposal for the coming evening.
    package var bedtime: Bedtime?
    package var confidence: Double
    package var sources: [String]

    package struct Stages: Codable, Hashable, Sendable {
        package var coreMinutes: Double
        package var deepMinutes: Double
        package var remMinutes: Double
        /// Asleep, stage not told.
        package var unspecifiedMinutes: Double
        package init(coreMinutes: Double, deepMinutes: Double, remMinutes: Double, unspecifiedMinutes: Double) {
            self.coreMinutes = coreMinutes
            self.deepMinutes = deepMinutes
            self.remMinutes = remMinutes
            self.unspecifiedMinutes = unspecifiedMinutes
        }
    }

    /// One part of the score.
    package struct Part: Codable, Hashable, Sendable {
        /// `duration` `efficiency` `deepAndRem` `regularity`.
        package var name: String
        /// 0…1; absent when unknown, then the other parts share its weight.
        package var value: Double?
        package var weight: Double
        package init(name: String, value: Double?, weight: Double) {
            self.name = name
            self.value = value
            self.weight = weight
        }
    }

    package struct Bedtime: Codable, Hashable, Sendable {
        package var at: Timestamp
        /// When sleep would have to end.
        package var wakeAt: Timestamp
        /// What it was computed from, in sentences.
        package var reasons: [String]
        package init(at: Timestamp, wakeAt: Timestamp, reasons: [String]) {
            self.at = at
            self.wakeAt = wakeAt
            self.reasons = reasons
        }
    }

    package init(
        at: Timestamp, night: String, startAt: Timestamp, endAt: Timestamp, asleepMinutes: Double,
        inBedMinutes: Double?, awakeMinutes: Double, stages: Stages?, score: Int?, quality: SleepQuality?,
        parts: [Part], rmssdMs: Double?, hrvMinutes: Int?, bpm: Double?, goalMinutes: Double, bedtime: Bedtime?,
        confidence: Double, sources: [String]
    ) {
        self.at = at
        self.night = night
        self.startAt = startAt
        self.endAt = endAt
        self.asleepMinutes = asleepMinutes
        self.inBedMinutes = inBedMinutes
        self.awakeMinutes = awakeMinutes
        self.stages = stages
        self.score = score
        self.quality = quality.map { Open($0) }
        self.parts = parts
        self.rmssdMs = rmssdMs
        self.hrvMinutes = hrvMinutes
        self.bpm = bpm
        self.goalMinutes = goalMinutes
        self.bedtime = bedtime
        self.confidence = confidence
        self.sources = sources
    }
}

package enum BodyAlertKind: String, Codable, Hashable, Sendable, CaseIterable {
    case stress, dailySummary, weeklyInsight, achievement, bedtime, illness, battery
}

/// Something that the listener may want to be told now; any tool may show it.
package struct BodyAlert: Message {
    package var at: Timestamp
    package var kind: Open<BodyAlertKind>
    /// Of a stress alert.
    package var level: Open<StressLevel>?
    package var title: String
    package var text: String
    /// Figures behind it, in sentences, where there are any.
    package var detail: String?
    /// What a face may offer beside it: `breathe`.
    package var action: String?

    package init(
        at: Timestamp, kind: BodyAlertKind, level: StressLevel? = nil, title: String, text: String,
        detail: String? = nil, action: String? = nil
    ) {
        self.at = at
        self.kind = Open(kind)
        self.level = level.map { Open($0) }
        self.title = title
        self.text = text
        self.detail = detail
        self.action = action
    }
}
