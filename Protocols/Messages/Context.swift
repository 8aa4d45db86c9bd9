package enum WorkState: String, Codable, Hashable, Sendable { case deepWork, meetings, casual, idle }

/// What the desktop says about the listener.
package struct DesktopContext: Message {
    package var at: Timestamp
    /// nil: unknown (unreadable is not "off").
    package var focusActive: Bool?
    /// The focus mode by its name.
    package var focusName: String?
    /// The application in front.
    package var app: String?
    /// `productivity` `creative` `communication` `meeting` `browser` `entertainment` `social` `other`.
    package var appCategory: String?
    /// Minutes of the last hour.
    package var productivityMinutes: Double?
    package var entertainmentMinutes: Double?
    package var socialMinutes: Double?
    /// Seconds since the last key or pointer input; absent when unknown.
    package var idleSeconds: Double?
    package var workState: Open<WorkState>?
    /// 0…1: lower when a file could not be read and the last good value stands in.
    package var confidence: Double
    package var sources: [SourceAge]

    package init(
        at: Timestamp, focusActive: Bool? = nil, focusName: String? = nil, app: String? = nil,
        appCategory: String? = nil, productivityMinutes: Double? = nil, entertainmentMinutes: Double? = nil,
        socialMinutes: Double? = nil, idleSeconds: Double? = nil, workState: WorkState? = nil,
        confidence: Double = 1, sources: [SourceAge] = []
    ) {
        self.at = at
        self.focusActive = focusActive
        self.focusName = focusName
        self.app = app
        self.appCategory = appCategory
        self.productivityMinutes = productivityMinutes
        self.entertainmentMinutes = entertainmentMinutes
        self.socialMinutes = socialMinutes
        self.idleSeconds = idleSeconds
        self.workState = workState.map { Open($0) }
        self.confidence = confidence
        self.sources = sources
    }
}

package enum EventType: String, Codable, Hashable, Sendable { case meeting, focus, personal }

/// What the calendar says about now and what comes next. Titles only when the owner allows them.
package struct CalendarContext: Message {
    /// An event of the calendar that is going on.
    package struct Ongoing: Codable, Hashable, Sendable {
        package var type: Open<EventType>
        package var endsAt: Timestamp
        /// Only when the owner allows titles.
        package var title: String?
        package init(type: EventType, endsAt: Timestamp, title: String? = nil) {
            self.type = Open(type)
            self.endsAt = endsAt
            self.title = title
        }
    }

    package var at: Timestamp
    /// Absent when nothing is going on.
    package var ongoing: Ongoing?
    /// Minutes to the start of the next event, at least 0.
    package var minutesToNext: Double?
    package var nextType: Open<EventType>?
    package var confidence: Double
    package var sources: [SourceAge]

    package init(
        at: Timestamp, ongoing: Ongoing? = nil, minutesToNext: Double? = nil, nextType: EventType? = nil,
        confidence: Double = 1, sources: [SourceAge] = []
    ) {
        self.at = at
        self.ongoing = ongoing
        self.minutesToNext = minutesToNext
        self.nextType = nextType.map { Open($0) }
        self.confidence = confidence
        self.sources = sources
    }
}
