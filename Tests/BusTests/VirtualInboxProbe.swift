@testable import Bus

/// Drives the ordering rules of virtual time without a bus: items are `sender + hub sequence`.
struct VirtualInboxProbe {
    private var inbox = VirtualInbox()

    mutating func add(_ sender: String, _ hubSequence: UInt64, _ way: VirtualInbox.Way) {
        inbox.add(
            .init(sender: sender, hubSequence: hubSequence, item: .lost(reason: "\(sender)\(hubSequence)")), by: way)
    }

    mutating func mark(_ step: UInt64, _ way: VirtualInbox.Way) -> [String]? {
        inbox.mark(step, now: noon, by: way)?.items.map { item in
            if case .lost(let reason) = item { reason } else { "?" }
        }
    }
}
