import Foundation
import Physiology
import Protocols

/// Says what is in a file of any supported format, without any process running and without changing anything.
package enum Inspection {
    /// Reads a file and reports it.
    ///
    /// - Parameters:
    ///   - from: first day (`2026-01-31`) or moment (RFC 3339) of interest, for calendars and ActivityWatch.
    ///   - to: day or moment at which that ends; it is not part of it any more. A calendar without both is shown from the
    ///     day before its first event, 500 days on.
    ///   - timeZone: the listener's, for days and for times without a zone.
    ///   - now: what a health file says of later is left out.
    ///   - training: thresholds and convention for rides, morning logs and load series.
    /// - Throws: ``FormatError`` that names the file and the place.
    package static func inspect(
        path: String, from: String? = nil, to: String? = nil, timeZone: TimeZone = .current,
        now: Timestamp = Timestamp(Date()),
        training: TrainingOptions = TrainingOptions()
    ) throws(FormatError) -> InspectionReport {
        let span = try InspectionSpan(from: from, to: to, timeZone: timeZone)
        switch try FileFormat.detect(path: path) {
        case .calendar: return calendar(try CalendarFile.read(path: path), span, timeZone)
        case .m3u: return playlist(try M3UReader.read(path: path))
        case .xspf: return playlist(try XSPFReader.read(path: path))
        case .musicLibrary: return library(try MusicLibraryReader.read(path: path))
        case .features: return features(try FeatureTable.read(path: path))
        case .activityWatch: return activity(try ActivityWatchReader.read(path: path), span, timeZone)
        case .focus: return focus(try FocusFile.read(path: path), path)
        case .categoryRules:
            _ = try CategoryRules.read(path: path)
            return InspectionReport(kind: "categories", file: path)
        case .fit: return fit(try FITFile(path: path), path, training)
        case .ride: return ride(try RideTable.read(path: path), path, training)
        case .health: return try health(path, now, timeZone)
        case .morningLog: return morning(try MorningLog.read(path: path), path, training)
        case .recording: return try recording(path)
        }
    }

    private static func calendar(
        _ calendar: CalendarFile, _ span: InspectionSpan, _ zone: TimeZone
    ) -> InspectionReport {
        var report = InspectionReport(kind: "calendar", file: calendar.source)
        report.notes = calendar.notes
        let window = span.window(default: calendar.ownWindow)
        let expansion = window.map { calendar.occurrences(in: $0, local: zone) } ?? CalendarExpansion()
        report.occurrences = expansion.occurrences.map { occurrence in
            InspectionReport.Occurrence(
                uid: occurrence.uid, summary: occurrence.summary, start: occurrence.start.text(local: zone),
                end: occurrence.end.text(local: zone), allDay: occurrence.allDay, status: occurrence.status)
        }
        report.notes += expansion.cut.map { "event \($0): its rule never ends or is too fine, only a part is shown" }
        report.wouldTake = ["events": calendar.events.count, "occurrences": expansion.occurrences.count]
        report.refuse("cancelled", expansion.occurrences.count(where: \.isCancelled))
        report.refuse("makes nobody busy", expansion.occurrences.count { $0.transparent && !$0.isCancelled })
        return report
    }

    private static func playlist(_ playlist: PlaylistFile) -> InspectionReport {
        var report = InspectionReport(kind: "playlist", file: playlist.source)
        report.title = playlist.title
        report.tracks = playlist.tracks.map { track in
            InspectionReport.Track(
                title: track.title, artist: track.artist, album: track.album, seconds: track.seconds,
                location: track.location, leftOut: track.isRemote ? LeftOutReason.remote.rawValue : nil)
        }
        report.playlists = [
            InspectionReport.Playlist(
                name: playlist.name, tracks: playlist.tracks.count, smart: false, builtIn: false)
        ]
        let remote = playlist.tracks.count(where: \.isRemote)
        report.wouldTake = ["playlists": 1, "tracks": playlist.tracks.count - remote]
        report.refuse(LeftOutReason.remote.rawValue, remote)
        return report
    }

    private static func library(_ library: LibraryFile) -> InspectionReport {
        var report = InspectionReport(kind: "library", file: library.source)
        report.tracks = library.tracks.map { track in
            InspectionReport.Track(
                title: track.title, artist: track.artist, album: track.album, seconds: track.seconds,
                location: track.location, leftOut: track.leftOut?.rawValue)
        }
        report.playlists = library.playlists.map { playlist in
            InspectionReport.Playlist(
                name: playlist.name, tracks: playlist.items.count, smart: playlist.smart, builtIn: !playlist.isUsers)
        }
        report.wouldTake = [
            "playlists": library.playlists.count(where: \.isUsers), "tracks": library.music.count,
        ]
        for (reason, count) in library.leftOut.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            report.refuse(reason.rawValue, count)
        }
        report.refuse("built-in playlist", library.playlists.count { !$0.isUsers })
        return report
    }

    private static func features(_ table: FeatureTable) -> InspectionReport {
        var report = InspectionReport(kind: "library", file: table.source)
        report.tracks = table.rows.map { row in
            InspectionReport.Track(
                title: row.title, artist: row.artist, album: row.album, seconds: row.durationSeconds,
                location: row.location)
        }
        report.playlists = []
        report.wouldTake = ["tracks": table.rows.count]
        report.notes = table.ignoredColumns.map { "column '\($0)' has no meaning here" }
        return report
    }

    private static func activity(
        _ log: ActivityLog, _ span: InspectionSpan, _ zone: TimeZone
    ) -> InspectionReport {
        var report = InspectionReport(kind: "activitywatch", file: log.source)
        report.days = log.days(in: zone).filter { span.contains(day: $0.day, zone) }
        report.wouldTake = ["presence": log.presence.count, "windows": log.windows.count]
        report.refuse("neither window nor presence", log.otherEvents)
        return report
    }

    private static func focus(_ focus: FocusFile, _ path: String) -> InspectionReport {
        var report = InspectionReport(kind: "focus", file: path)
        switch focus {
        case .state(let state): report.focus = [.init(at: nil, active: state.active, name: state.name)]
        case .timeline(let changes):
            report.focus = changes.map { change in
                .init(
                    at: Timestamp(Date(timeIntervalSince1970: change.at)).description, active: change.state.active,
                    name: change.state.name)
            }
        }
        report.wouldTake = ["states": report.focus?.count ?? 0]
        return report
    }

    private static func fit(
        _ file: FITFile, _ path: String, _ training: TrainingOptions
    ) -> InspectionReport {
        var report = InspectionReport(kind: "fit", file: path)
        func fields(_ name: String) -> [[String: FITFieldValue]] {
            file.messages(named: name).map { message in
                message.fields.reduce(into: [:]) { fields, field in
                    if fields[field.name] == nil { fields[field.name] = FITFieldValue(field.value) }
                }
            }
        }
        report.messages = file.counts
        report.records = fields("record")
        report.sessions = fields("session")
        report.wouldTake = ["beats": file.rrMs.count, "heartRates": file.heartRates.count]
        if let workout = WorkoutRecord(file, source: path) {
            let session = file.messages(named: "session").first
            report.detail = RideDetail(
                workout, training, deviceThresholdW: session?["threshold_power"]?.double,
                deviceWeightedW: session?["normalized_power"]?.double)
            report.say(training, report.detail)
        }
        return report
    }

    private static func ride(
        _ workout: WorkoutRecord, _ path: String, _ training: TrainingOptions
    ) -> InspectionReport {
        var report = InspectionReport(kind: "ride", file: path)
        report.samples = workout.samples.count
        report.detail = RideDetail(workout, training, deviceThresholdW: nil, deviceWeightedW: nil)
        report.say(training, report.detail)
        report.notes.append("a table of seconds says no date, so an import cannot place it")
        return report
    }

    private static func health(
        _ path: String, _ now: Timestamp, _ zone: TimeZone
    ) throws(FormatError) -> InspectionReport {
        let kind = try HealthFile.detect(path: path)
        let summary = try HealthSummary.read(path: path, now: now, timeZone: zone)
        var report = InspectionReport(kind: kind.name, file: path)
        let detail = HealthDetail(summary)
        report.detail = detail
        report.wouldTake = summary.tally.taken
        report.refused = detail.skipped
        report.notes = summary.tally.problems
        return report
    }

    private static func morning(
        _ log: MorningLog, _ path: String, _ training: TrainingOptions
    ) -> InspectionReport {
        var report = InspectionReport(kind: log.hasReadings ? "morning-log" : "load-series", file: path)
        report.detail = MorningDetail(log, convention: training.convention)
        report.wouldTake = ["readings": log.entries.count { $0.rmssdMs != nil || $0.sdnnMs != nil }]
        for (reason, count) in log.skipped.sorted(by: { $0.key < $1.key }) { report.refuse(reason, count) }
        report.refuse("day without a reading", log.entries.count { $0.rmssdMs == nil && $0.sdnnMs == nil })
        return report
    }

    private static func recording(_ path: String) throws(FormatError) -> InspectionReport {
        let recording = try Recording(path: path)
        guard recording.kind == .rr else {
            var report = InspectionReport(kind: recording.kind.rawValue, file: path)
            report.samples = recording.samples.count
            report.from = recording.samples.first?.at.description
            report.to = recording.samples.last?.at.description
            report.wouldTake = ["samples": recording.samples.count]
            report.refuse("value that no body has", recording.leftOut)
            return report
        }
        let series = try RRSeries.read(URL(filePath: path))
        let analysis = HRVAnalysis.report(series.beats)
        var report = InspectionReport(kind: "rr", file: path)
        report.n = analysis.n
        report.meanNnMs = analysis.meanNnMs
        report.sdnnMs = analysis.sdnnMs
        report.rmssdMs = analysis.rmssdMs
        report.pnn50Percent = analysis.pnn50Percent
        report.artefacts = analysis.artefacts
        report.correctedRmssdMs = analysis.correctedRmssdMs
        report.correctedShare = analysis.correctedShare
        report.gaps = analysis.gaps
        report.unit = series.unit
        report.wouldTake = ["beats": analysis.n]
        return report
    }
}

extension InspectionReport {
    fileprivate mutating func refuse(_ reason: String, _ count: Int) {
        if count > 0 { self.refused.append(Refused(reason: reason, count: count)) }
    }

    /// What is missing for the figures of training.
    fileprivate mutating func say(_ training: TrainingOptions, _ detail: (any InspectionDetail)?) {
        guard let ride = detail as? RideDetail else { return }
        if ride.weightedPowerW != nil, ride.thresholdPowerW == nil {
            self.notes.append("give --ftp for intensity and load of power")
        }
        guard ride.meanBpm != nil else { return }
        if ride.trimp == nil { self.notes.append("give --rest and --max for TRIMP") }
        if ride.trimp != nil, training.sex == nil { self.notes.append("TRIMP with the constants of men; give --sex") }
    }
}
