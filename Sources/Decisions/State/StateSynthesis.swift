import Foundation
import Physiology
import Protocols

/// Makes a state vector out of what is known, and remembers just enough to notice a transition.
///
/// Feed it motion, workouts and the desktop as they come (through ``context``), then ask for a state every 30 s. The
/// whole value is kept over a restart.
package struct StateSynthesis: Codable, Hashable, Sendable {
    package var context = ContextInference()
    private var transitions = TransitionDetector()

    package init() {}

    /// The state at `inputs.now`. Formulas: 5.1.4; what is unknown is 0.5 and low confidence pulls towards it.
    package mutating func state(_ inputs: StateInputs) -> StateVector {
        let now = inputs.now
        let activityContext = context.infer(
            now: now, in: inputs.timeZone, desktop: inputs.desktop, calendar: inputs.calendar,
            preferences: inputs.preferences)
        let arousalTrust = inputs.arousal?.confidence ?? 0
        let stressTrust = inputs.stress?.estimate?.confidence ?? 0
        var stress = Self.measured(inputs.stress?.estimate?.value, confidence: stressTrust)
        let arousal = Self.measured(inputs.arousal?.value, confidence: arousalTrust)
        // Weights of 5.1.4's own energy formula.
        let energyTrust = min(1, (0.6 * arousalTrust + 0.4 * stressTrust) / Self.enough)
        let stressFullTrust = min(1, stressTrust / Self.enough)
        var energy = Self.shrunk(0.6 * arousal + 0.4 * (1 - stress), energyTrust)
        let focus = Self.focus(in: activityContext, arousal: arousal, stress: stress, trust: stressFullTrust)
        if let reserve = inputs.reserve {
            energy = Self.blend(energy, reserve.value, weight: EnergyReserve.weight * reserve.confidence)
        }
        var valence = Self.shrunk(0.5 - 0.3 * stress, stressFullTrust)
        if let mood = inputs.mood, mood.isActive(at: now) {
            valence = Self.blend(valence, mood.valence, weight: 0.7)
            energy = Self.blend(energy, mood.energy, weight: 0.5)
            if let felt = mood.stress { stress = Self.blend(stress, felt, weight: 0.5) }
        }
        let usual = inputs.patterns?.usual(at: now, in: inputs.timeZone)
        if let usual { energy = Self.blend(energy, usual.energy, weight: 0.2) }

        let sources = Self.sources(inputs, usual: usual)
        let changed = transitions.observe(at: now, arousal: arousal, energy: energy, context: activityContext)
        let need = Self.need(
            arousal: arousal, energy: energy, focus: focus, stress: stress, context: activityContext,
            inTransition: changed)
        return StateVector(
            at: now, arousal: arousal, energy: energy, focus: focus, stress: stress, valence: valence,
            activityContext: activityContext, need: need, confidence: Self.confidence(of: sources), sources: sources,
            stressGate: inputs.stress?.gate, bpm: inputs.bpm)
    }

    // MARK: - Rules

    /// Confidence from which a value is taken as it is; below, it is pulled to 0.5 in proportion. The thresholds of
    /// 5.1.5 lie on the scales themselves, so a sure measurement must not be moved.
    package static let enough = 0.5

    /// A measured 0…1 value, pulled to 0.5 by missing confidence.
    package static func measured(_ value: Double?, confidence: Double) -> Double {
        guard let value else { return 0.5 }
        return shrunk(value, min(1, confidence / enough))
    }

    static func shrunk(_ value: Double, _ trust: Double) -> Double { 0.5 + (value - 0.5) * min(max(trust, 0), 1) }

    static func blend(_ a: Double, _ b: Double, weight: Double) -> Double { a + (b - a) * weight }

    /// Focus by 5.1.4. A context is itself evidence, so only the stress part is shrunk.
    static func focus(in context: ActivityContext, arousal: Double, stress: Double, trust: Double) -> Double {
        let strain = stress * trust + 0.4 * (1 - trust)
        switch context {
        case .deepWork: return 0.8 - 0.3 * strain
        case .workout: return 0.3
        default: return shrunk(0.5 - 0.2 * stress + (arousal < 0.3 ? 0.1 : 0), trust)
        }
    }

    /// What music should do now (5.1.5), in that order.
    package static func need(
        arousal: Double, energy: Double, focus: Double, stress: Double, context: ActivityContext, inTransition: Bool
    ) -> MusicNeed {
        switch context {
        case .workout: return energy < 0.5 ? .energize : .maintain
        case .postWorkout, .preSleep: return .calm
        case .deepWork: return .focus
        default: break
        }
        if stress > 0.7 { return .calm }
        if energy < 0.3, arousal < 0.4 { return .energize }
        if focus > 0.6, context == .work { return .focus }
        return inTransition ? .transition : .maintain
    }

    /// How much each source says about the state, 0…1: our own weights, by how directly a source measures it.
    static let weights: [String: Double] = [
        "heartRate": 0.5, "hrv": 0.4, "bodyStress": 0.4, "motion": 0.2, "desktopContext": 0.3, "calendarContext": 0.2,
        "manualMoodInput": 0.5, "historicalPattern": 0.15, "timeOfDay": 0.05,
        "bodyBattery": 0.1, "bodySleep": 0.1,
    ]

    /// 1 − Π(1 − cᵢ wᵢ).
    static func confidence(of sources: [SourceAge]) -> Double {
        SourceConfidence.combined(sources.map { ($0.confidence, weights[$0.name] ?? 0) })
    }

    private static func sources(
        _ inputs: StateInputs, usual: EnergyPatterns.Usual?
    ) -> [SourceAge] {
        let now = inputs.now
        var sources: [SourceAge] = []
        func add(_ name: String, age: Double, _ confidence: Double) {
            guard confidence > 0.001 else { return }
            sources.append(SourceAge(name: name, ageSeconds: max(0, age), confidence: confidence))
        }
        func add(_ name: String, at moment: Timestamp?, quality: Double, halfLife: Double) {
            guard let moment else { return }
            let age = now.seconds(since: moment)
            add(name, age: age, SourceConfidence.decayed(quality: quality, age: age, halfLife: halfLife))
        }
        if let arousal = inputs.arousal { add("heartRate", age: arousal.ageSeconds, arousal.confidence) }
        if let hrv = inputs.hrv {
            add("hrv", at: hrv.at, quality: hrv.quality, halfLife: SourceConfidence.HalfLife.hrv)
        }
        if let stress = inputs.stress, stress.isFromBody, let estimate = stress.estimate {
            add("bodyStress", age: estimate.ageSeconds, estimate.confidence)
        }
        add("motion", at: inputs.motionAt, quality: 1, halfLife: ContextInference.motionHalfLife)
        if let desktop = inputs.desktop {
            add(
                "desktopContext", at: desktop.at, quality: desktop.confidence,
                halfLife: SourceConfidence.HalfLife.desktopContext)
        }
        if let calendar = inputs.calendar {
            add(
                "calendarContext", at: calendar.at, quality: calendar.confidence,
                halfLife: SourceConfidence.HalfLife.calendarContext)
        }
        if let mood = inputs.mood, mood.isActive(at: now) {
            add("manualMoodInput", at: mood.at, quality: 1, halfLife: SourceConfidence.HalfLife.manualMood)
        }
        if let battery = inputs.reserve?.battery { add("bodyBattery", age: battery.ageSeconds, battery.confidence) }
        if let sleep = inputs.reserve?.sleep { add("bodySleep", age: sleep.ageSeconds, sleep.confidence) }
        if let usual {
            let n = Double(usual.samples)
            add("historicalPattern", age: 0, n / (n + EnergyPatterns.priorSamples))
        }
        add("timeOfDay", age: 0, 1)
        return sources
    }
}
