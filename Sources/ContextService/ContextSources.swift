import Foundation

/// What the context agent reads.
package struct ContextSources: Sendable {
    /// Our JSON, a JSON-lines recording, or `Assertions.json` of macOS.
    package var focus: String?
    /// ActivityWatch export or bucket.
    package var activityWatch: String?
    /// Base address of ActivityWatch's REST API; asked before the file.
    package var activityWatchAPI: URL?
    /// Nobody named that address: its silence is no fault.
    package var isActivityWatchAPIOptional = false
    /// An `.ics` file or a folder of them.
    package var calendar: String?
    /// Rules that say which app is for what.
    package var rules: String?
    /// Parts of focus names that mean work, beside the built-in ones.
    package var workFocusNames: [String]
    /// The listener's own addresses, to see which invitations they declined.
    package var addresses: Set<String>
    /// Calendar titles may go onto the bus.
    package var allowTitles: Bool
    package var recording: RecordingTime

    /// How the time of a recording follows from the time of the house.
    package enum RecordingTime: Sendable, Hashable {
        /// The recording is of now.
        case same
        /// The first moment of the recorded focus or desk is this time of the house; the calendar moves along.
        case startsAt(Date)
        /// The recording's first day is repeated every day, by local clock time.
        case everyDay
    }

    package init(
        focus: String? = nil, activityWatch: String? = nil, activityWatchAPI: URL? = nil, calendar: String? = nil,
        rules: String? = nil, workFocusNames: [String] = [], addresses: Set<String> = [], allowTitles: Bool = false,
        recording: RecordingTime = .same
    ) {
        self.focus = focus
        self.activityWatch = activityWatch
        self.activityWatchAPI = activityWatchAPI
        self.calendar = calendar
        self.rules = rules
        self.workFocusNames = workFocusNames
        self.addresses = addresses
        self.allowTitles = allowTitles
        self.recording = recording
    }
}
