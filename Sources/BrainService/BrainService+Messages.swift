import Bus
import Decisions
import Foundation
import Learning
import Logging
import Physiology
import Protocols

extension BrainService {
    /// Takes in one message of the bus.
    ///
    /// A body that cannot be read is counted and dropped: asking for it again would bring the same bytes.
    func hear(_ message: Received, _ bus: any BusPort) throws {
        guard message.instance == listener else { return }
        if message.header.deliveryClass == .event {
            // Taken, but the disk was full: it is acknowledged only when it is written.
            guard !unsaved.events.contains(EventID(message)) else { return }
            guard try disk.isNew(message) else { return }
            save(disk.marking(message))
            unsaved.events.insert(EventID(message))
        }
        do {
            try take(message, bus)
        } catch let error as ReceivedError {
            brokenMessages += 1
            let reason =
                switch error {
                case .newerMajor(_, let got, _): "version \(got) is newer than this program"
                case .tombstone: "deleted"
                case .unreadable: "unreadable"
                }
            logger.warning(
                "message dropped",
                metadata: ["topic": "\(message.topic)", "reason": "\(reason)", "dropped": "\(brokenMessages)"])
        }
    }

    private func take(_ message: Received, _ bus: any BusPort) throws {
        switch TopicSpec.family(of: message.topic) {
        case Registry.heartRate.spec.family:
            guard let sample = try message.decode(Registry.heartRate) else { return }
            feed.add(sample)
            stress.add(sample)
        case Registry.rr.spec.family:
            guard let beats = try message.decode(Registry.rr) else { return }
            feed.add(beats)
            stress.add(beats)
        case Registry.motion.spec.family:
            guard let motion = try message.decode(Registry.motion) else { return }
            feed.add(motion)
            stress.add(motion)
            resume.synthesis.context.observe(motion)
            resume.session?.steps += motion.steps
        case Registry.workout.spec.family:
            if let workout = try message.decode(Registry.workout) { take(workout) }
        case Registry.mood.spec.family:
            // Anybody may publish a mood; one outside of 1…5 says nothing.
            if let mood = try message.decode(Registry.mood), (1...5).contains(mood.mood), (1...5).contains(mood.energy)
            {
                take(mood)
            }
        case Registry.nudge.spec.family:
            if let nudge = try message.decode(Registry.nudge) { take(nudge, bus) }
        case Registry.desktop.spec.family:
            desktop = message.isTombstone ? nil : try message.decode(Registry.desktop)
            if let desktop { resume.synthesis.context.observe(desktop) }
        case Registry.calendar.spec.family:
            calendar = message.isTombstone ? nil : try message.decode(Registry.calendar)
        case Registry.baseline.spec.family:
            baseline = message.isTombstone ? nil : try message.decode(Registry.baseline)
        case Registry.stress.spec.family:
            stressReading = message.isTombstone ? nil : try message.decode(Registry.stress)
        case Registry.battery.spec.family:
            battery = message.isTombstone ? nil : try message.decode(Registry.battery)
        case Registry.sleep.spec.family:
            sleep = message.isTombstone ? nil : try message.decode(Registry.sleep)
        case Registry.library.spec.family:
            guard let library = try message.decode(Registry.library) else { return }
            libraryChanged(to: library.revision, bus)
        case Registry.playerEvent.spec.family:
            if let event = try message.decode(Registry.playerEvent) { take(event, bus) }
        case Registry.progress.spec.family:
            guard let progress = try message.decode(Registry.progress) else { return }
            if let play = resume.turns.current, play.playing != progress.playing {
                watch.suspect()
            } else {
                watch.heard(at: bus.now)
            }
            volume = progress.volume
            resume.turns.progress(progress, at: message.sentAt)
            if progress.playing { resume.session?.lastMusicAt = bus.now }
        default: break
        }
    }

    private func take(_ workout: Workout) {
        resume.synthesis.context.observe(workout)
        stress.add(workout)
        if resume.session != nil {
            resume.session?.workoutSport = workout.sport
            if let energy = workout.energyKcal { resume.session?.workoutKcal = energy }
        }
        redecide = "workout"
        markDirty()
    }

    private func take(_ input: MoodInput) {
        let mood = Mood(input)
        // One that was held up on its way does not undo a newer one.
        if resume.mood.map({ mood.at >= $0.at }) ?? true { resume.mood = mood }
        resume.synthesis.context.observeControl(at: input.at)
        moods.append(mood)
        if moods.count > 100 { moods.removeFirst() }
        redecide = "mood"
        markDirty()
        save { db in try BrainStore.insert(input, in: db) }
    }

    /// The crown: volume by default, in DJ mode energy and intensity.
    private func take(_ nudge: Nudge, _ bus: any BusPort) {
        resume.synthesis.context.observeControl(at: nudge.at)
        markDirty()
        if preferences.djMode {
            resume.nudges.apply(nudge)
            redecide = "crown"
        } else if nudge.delta.isFinite, bus.now.seconds(since: nudge.at) < Self.volumeTurnLifetime {
            volume = min(1, max(0, volume + nudge.delta * Self.volumePerTurn))
            tellPlayer(PlayerVolume(volume: volume), bus)
        }
    }

    /// A full turn of the crown moves the volume by a quarter of its range.
    private static let volumePerTurn = 0.25
    /// Seconds after which a turn that was held up on its way no longer moves the volume.
    private static let volumeTurnLifetime = 60.0
}
