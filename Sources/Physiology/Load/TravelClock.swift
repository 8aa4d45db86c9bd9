import Foundation
import Protocols

/// Local days of a listener who travels: which zone held from which moment on.
///
/// Who flies west lives a day twice, who flies east may skip one: a day is only a number, and whatever falls on it is one
/// entry. Summer time needs nothing, the zone knows it.
package struct TravelClock: Hashable, Codable, Sendable {
    /// From `since` on the listener was in `zone`.
    package struct Stay: Hashable, Codable, Sendable {
        package var since: Timestamp
        package var zone: LocalClock

        package init(since: Timestamp, zone: LocalClock) {
            self.since = since
            self.zone = zone
        }
    }

    package var home: LocalClock
    /// Ascending; before the first the listener was at home.
    package private(set) var stays: [Stay]

    package init(home: LocalClock, stays: [Stay] = []) {
        self.home = home
        self.stays = stays.sorted { $0.since < $1.since }
    }

    package func clock(at moment: Timestamp) -> LocalClock {
        stays.last { $0.since <= moment }?.zone ?? home
    }

    /// Number of the local day where the listener was.
    package func day(of moment: Timestamp) -> Int { clock(at: moment).day(of: moment) }
}
