import Foundation
import Physiology
import Protocols

/// What the body keeps, as comma-separated text.
package enum BodyCSV {
    /// Stress readings; factors as impacts −1…1.
    package static func readings(_ readings: [StressReading]) -> String {
        let factors = StressFactorKind.allCases.map(\.rawValue)
        var table = CSVTable(
            [
                "at", "level", "score", "z", "gate", "confidence", "quality", "source", "held", "bpm", "rmssdMs",
                "sdnnMs",
            ] + factors)
        for reading in readings {
            let impacts = Dictionary(reading.factors.map { ($0.name, $0.impact) }) { first, _ in first }
            let figures: [CSVTable.Cell] = [
                .text(reading.at.description), .init(reading.level?.rawValue), .number(reading.score), .init(reading.z),
                .text(reading.gate.rawValue), .number(reading.confidence), .init(reading.quality?.rawValue),
                .init(reading.source?.rawValue), .init(reading.isHeld), .init(reading.bpm), .init(reading.rmssdMs),
                .init(reading.sdnnMs),
            ]
            table.add(figures + factors.map { .init(impacts[$0] ?? nil) })
        }
        return table.text
    }

    /// Stress by day, or by any other bucket of a trend.
    package static func days(_ buckets: [StressBucket]) -> String {
        let levels = StressLevel.allCases.map(\.rawValue)
        var table = CSVTable(
            ["date", "readings", "gated", "score", "z", "level"] + levels + ["rmssdMs", "bpm", "confidence"])
        for bucket in buckets {
            let figures: [CSVTable.Cell] = [
                .text(bucket.label), .whole(bucket.readings), .whole(bucket.gated), .init(bucket.score),
                .init(bucket.z),
                .init(bucket.level?.rawValue),
            ]
            table.add(
                figures + levels.map { .whole(bucket.levels[$0, default: 0]) } + [
                    .init(bucket.rmssdMs), .init(bucket.bpm), .number(bucket.confidence),
                ])
        }
        return table.text
    }

    package static func nights(_ nights: [NightFigures]) -> String {
        let parts = ["duration", "efficiency", "deepAndRem", "regularity"]
        var table = CSVTable(
            [
                "date", "startAt", "endAt", "asleepMinutes", "awakeMinutes", "inBedMinutes", "coreMinutes",
                "deepMinutes",
                "remMinutes", "unspecifiedMinutes", "napMinutes", "efficiency", "latencyMinutes", "score", "quality",
            ] + parts + ["rmssdMs", "hrvMinutes", "bpm", "lowestBpm", "goalMinutes", "confidence", "sources"])
        for night in nights {
            let values = Dictionary(night.parts.map { ($0.name, $0.value) }) { first, _ in first }
            let times: [CSVTable.Cell] = [
                .text(night.date), .text(night.startAt.description), .text(night.endAt.description),
                .number(night.asleepMinutes), .number(night.awakeMinutes), .init(night.inBedMinutes),
                .init(night.stages?.coreMinutes), .init(night.stages?.deepMinutes), .init(night.stages?.remMinutes),
                .init(night.stages?.unspecifiedMinutes), .number(night.napMinutes), .init(night.efficiency),
                .init(night.latencyMinutes), .init(night.score), .init(night.quality?.rawValue),
            ]
            let body: [CSVTable.Cell] = [
                .init(night.rmssdMs), .whole(night.hrvMinutes), .init(night.bpm), .init(night.lowestBpm),
                .number(night.goalMinutes), .number(night.confidence), .text(night.sources.joined(separator: "; ")),
            ]
            table.add(times + parts.map { .init(values[$0] ?? nil) } + body)
        }
        return table.text
    }
}
