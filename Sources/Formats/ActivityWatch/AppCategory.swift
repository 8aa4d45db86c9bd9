/// What an app is for.
package enum AppCategory: String, Codable, CaseIterable, Hashable, Sendable {
    case productivity, creative, communication, meeting, browser, entertainment, social, other
}
