import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodyWorkoutCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "workout", abstract: "One workout: load, zones, decoupling; or write it as a FIT file.",
        discussion: """
            Name it as `resonance body workouts` does: by the local minute in which it began. Where two devices recorded
            it, --source says which one. A FIT file that exists is kept unless --force is given.

            Example: resonance body workout 2026-01-31T14:05
            Example: resonance body workout 2026-01-31T14:05 --fit ride.fit
            """)

    @Argument(help: "When it began: 2026-01-31T14:05, or RFC 3339.") var id: MomentArgument
    @Option(help: "Name of the device or app, or a part of it.") var source: String?
    @Option(
        name: .customLong("fit"), help: ArgumentHelp("Write it as a FIT activity.", valueName: "file"),
        completion: .file())
    var fit: String?
    @Flag(help: "Replace a file that exists.") var force = false
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let page = try await household.request(
            ListWorkouts(from: id.at, to: id.at.adding(seconds: 60), limit: 50))
        let workout = try chosen(page.workouts, terminal.timeZone)
        if let fit {
            let bytes = try await file(of: workout, in: household)
            let path = try write(bytes, to: fit)
            let written = WrittenWorkout(bytes: bytes.count, path: path)
            try terminal.answer(written, json: output.json) { ["Wrote \(path), \(Wording.bytes(Int64(bytes.count)))."] }
        } else {
            let figures = await units.figures(in: household)
            try terminal.answer(workout, json: output.json) { workout.lines(figures, terminal) }
        }
    }

    private func chosen(_ workouts: [WorkoutSummary], _ zone: TimeZone) throws -> WorkoutSummary {
        let found = workouts.filter { workout in
            source.map { workout.source.localizedCaseInsensitiveContains($0) } ?? true
        }
        // The one that counts is meant, unless a source is named.
        let meant = found.count > 1 && source == nil ? found.filter { $0.countsAs == nil } : found
        guard let workout = meant.first else {
            throw CommandFailure(
                .finding, "no workout began at \(Wording.moment(id.at, zone))",
                cure: "see their names with `resonance body workouts`")
        }
        guard meant.count == 1 else {
            let sources = meant.map { "\($0.source) (\($0.sport))" }.joined(separator: ", ")
            throw CommandFailure(
                .finding, "several workouts began in that minute: \(sources)".printable,
                cure: "say which one with --source, or name the second as well")
        }
        return workout
    }

    private func file(of workout: WorkoutSummary, in household: any Household) async throws -> Data {
        var data = Data()
        while true {
            let piece = try await household.request(
                GetWorkoutFile(
                    startAt: workout.startAt, source: workout.source, sport: workout.sport, offset: data.count))
            guard let bytes = Data(base64Encoded: piece.base64), !bytes.isEmpty else {
                throw CommandFailure(.software, "the body sent a piece of a file that cannot be read")
            }
            data += bytes
            if data.count >= piece.bytes { return data }
        }
    }

    /// The whole file or none, readable by its owner alone.
    private func write(_ data: Data, to name: String) throws -> String {
        let url = URL(filePath: (name as NSString).expandingTildeInPath).standardizedFileURL
        let path = url.path(percentEncoded: false)
        guard force || !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .cannotCreate, "\(path) exists", cure: "choose another name, or replace it with --force")
        }
        do {
            try data.write(to: url, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw CommandFailure(
                .cannotCreate, "\(path) cannot be written", cure: "check the directory, its rights and the space left")
        }
        return path
    }
}

/// What was written.
private struct WrittenWorkout: Encodable {
    var bytes: Int
    var path: String
}

extension WorkoutSummary {
    func lines(_ figures: BodyFigures, _ terminal: Terminal) -> [String] {
        let style = terminal.style
        var rows: [(String, String)] = []
        func add(_ name: String, _ text: String?) { if let text { rows.append((name, text)) } }
        add(
            "moving",
            Wording.clock(Int64(movingSeconds * 1000)) + (gaps.map { ", \(Wording.count($0, "pause"))" } ?? ""))
        add("distance", distanceM.map { figures.distance($0) })
        add("ascent", ascentM.map { figures.height($0) })
        add("energy", energyKcal.map { "\(Wording.decimal($0, 0)) kcal" })
        add(
            "load",
            load.map { "\(Wording.decimal($0, 0)) by \(how), confidence \(Wording.percent(confidence))" }
                ?? "not enough data")
        add("intensity", intensity.map { Wording.decimal($0) })
        add(
            "weighted power",
            weightedPowerW.map { "\(Wording.decimal($0, 0)) W, mean \(Wording.decimal(meanPowerW, 0)) W" })
        add("heart rate", meanBpm.map { "\(Wording.decimal($0, 0)), highest \(Wording.decimal(maximumBpm, 0)) BPM" })
        add("TRIMP", trimp.map { Wording.decimal($0, 0) })
        add("exertion", exertion.map { "\(Wording.decimal($0, 1)) of 10" })
        add(
            "decoupling",
            decouplingPercent.map { "\(Wording.signed($0, 1)) ± \(Wording.decimal(decouplingError, 1)) %" })
        add("device's load", deviceLoad.map { Wording.decimal($0, 0) })
        add("source", source)
        var lines = [style.bold("\(id(terminal.timeZone))  \(sport)") + (title.map { "  \($0)".printable } ?? "")]
        lines += rows.map { Wording.pad($0.0, to: 16) + $0.1.printable }
        lines += (notes ?? []).map { style.dim("  – \($0)") }
        for zone in zones ?? [] {
            let longest = max(zone.seconds.max() ?? 0, 1)
            lines.append(
                style.dim("\(zone.kind), threshold \(Wording.decimal(zone.threshold, zone.kind == "pace" ? 2 : 0))"))
            for (name, seconds) in zip(zone.names, zone.seconds) {
                lines.append(
                    "  \(Wording.pad(name, to: 14))\(Wording.bar(seconds / longest, cells: 20)) "
                        + Wording.clock(Int64(seconds * 1000)))
            }
        }
        return lines
    }
}
