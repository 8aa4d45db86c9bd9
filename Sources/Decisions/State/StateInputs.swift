import Foundation
import Protocols

/// Everything a state is made of, as it stands at one moment.
package struct StateInputs: Sendable {
    package var now: Timestamp
    package var timeZone: TimeZone
    /// From heart rate, on the personal scale of `Physiology`; nil without a sample.
    package var arousal: Estimate?
    /// From `body/stress` or live samples; while gated the held value with its falling confidence.
    package var stress: StressInput?
    /// Newest heart rate, beats per minute.
    package var bpm: Double?
    /// When beats (RR) were last heard, and their quality 0…1; nil without beats.
    package var hrv: (at: Timestamp, quality: Double)?
    package var motionAt: Timestamp?
    package var desktop: DesktopContext?
    package var calendar: CalendarContext?
    package var mood: Mood?
    package var patterns: EnergyPatterns?
    /// From `body/battery` and `body/sleep`.
    package var reserve: EnergyReserve?
    package var preferences: Preferences

    package init(
        now: Timestamp, timeZone: TimeZone, arousal: Estimate? = nil, stress: StressInput? = nil,
        bpm: Double? = nil, hrv: (at: Timestamp, quality: Double)? = nil, motionAt: Timestamp? = nil,
        desktop: DesktopContext? = nil,
        calendar: CalendarContext? = nil, mood: Mood? = nil, patterns: EnergyPatterns? = nil,
        reserve: EnergyReserve? = nil, preferences: Preferences = Preferences()
    ) {
        self.now = now
        self.timeZone = timeZone
        self.arousal = arousal
        self.stress = stress
        self.bpm = bpm
        self.hrv = hrv
        self.motionAt = motionAt
        self.desktop = desktop
        self.calendar = calendar
        self.mood = mood
        self.patterns = patterns
        self.reserve = reserve
        self.preferences = preferences
    }
}
