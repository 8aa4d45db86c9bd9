/// One heart rate reading.
package struct HeartRate: Message {
    package var at: Timestamp
    /// Beats per minute, 20…300.
    package var bpm: Double
    /// 0…1; 1 = the sensor says it is sure.
    package var quality: Double
    /// `simulation`, `replay`, `strap`, `watch`.
    package var source: String

    package init(at: Timestamp, bpm: Double, quality: Double = 1, source: String) {
        self.at = at
        self.bpm = bpm
        self.quality = quality
        self.source = source
    }
}

/// Beat-to-beat intervals, in order, that follow each other without a hole.
package struct RRIntervals: Message {
    /// When the first interval began.
    package var startAt: Timestamp
    /// Milliseconds, oldest first, shape `[n]`.
    package var rrMs: [Double]
    /// True when beats were lost between the message before and this one: no difference may be taken across it.
    package var gapBefore: Bool
    package var quality: Double
    package var source: String

    package init(startAt: Timestamp, rrMs: [Double], gapBefore: Bool = false, quality: Double = 1, source: String) {
        self.startAt = startAt
        self.rrMs = rrMs
        self.gapBefore = gapBefore
        self.quality = quality
        self.source = source
    }
}

package enum MotionActivity: String, Codable, Hashable, Sendable, CaseIterable {
    case stationary, walking, running, cycling, vehicle, unknown
}

/// How the body moved during the last few seconds.
package struct Motion: Message {
    package var at: Timestamp
    /// 0…1.
    package var intensity: Double
    /// Steps or turns per minute.
    package var cadencePerMinute: Double?
    /// Steps since the sample before.
    package var steps: Int
    package var activity: Open<MotionActivity>

    package init(
        at: Timestamp, intensity: Double, cadencePerMinute: Double? = nil, steps: Int, activity: MotionActivity
    ) {
        self.at = at
        self.intensity = intensity
        self.cadencePerMinute = cadencePerMinute
        self.steps = steps
        self.activity = Open(activity)
    }
}

/// The samples of about 30 s again, for keeping: this one is never lost.
package struct BioBatch: Message {
    /// Oldest first.
    package var heartRate: [HeartRate]
    /// Oldest first.
    package var rr: [RRIntervals]
    /// Oldest first.
    package var motion: [Motion]

    package init(heartRate: [HeartRate] = [], rr: [RRIntervals] = [], motion: [Motion] = []) {
        self.heartRate = heartRate
        self.rr = rr
        self.motion = motion
    }
}

package enum WorkoutPhase: String, Codable, Hashable, Sendable { case started, paused, resumed, ended }

package struct Workout: Message {
    package var phase: Open<WorkoutPhase>
    /// `running`, `cycling`, `strength` …, as the watch names it.
    package var sport: String
    package var energyKcal: Double?
    package var at: Timestamp

    package init(phase: WorkoutPhase, sport: String, energyKcal: Double? = nil, at: Timestamp) {
        self.phase = Open(phase)
        self.sport = sport
        self.energyKcal = energyKcal
        self.at = at
    }
}

/// The eight moods that can be named instead of set on two scales.
package enum NamedMood: String, Codable, Hashable, Sendable, CaseIterable {
    case veryHappy, happy, calm, neutral, anxious, stressed, sad, verySad
}

/// What the listener says about their mood.
package struct MoodInput: Message {
    package var at: Timestamp
    /// 1 (down) … 5 (great).
    package var mood: Int
    /// 1 (low) … 5 (high).
    package var energy: Int
    /// A named mood; when present it decides, and `mood` and `energy` hold its nearest steps.
    package var named: Open<NamedMood>?
    /// The face it came from: `cli`, `watch`, `web` …
    package var via: String

    package init(at: Timestamp, mood: Int, energy: Int, named: NamedMood? = nil, via: String) {
        self.at = at
        self.mood = mood
        self.energy = energy
        self.named = named.map { Open($0) }
        self.via = via
    }
}

package enum NudgeKind: String, Codable, Hashable, Sendable { case energy, intensity }

/// A turn of the crown in DJ mode.
package struct Nudge: Message {
    package var at: Timestamp
    /// −1…1.
    package var delta: Double
    package var kind: Open<NudgeKind>

    package init(at: Timestamp, delta: Double, kind: NudgeKind) {
        self.at = at
        self.delta = delta
        self.kind = Open(kind)
    }
}
