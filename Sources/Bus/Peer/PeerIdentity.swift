import Foundation
import Protocols

/// Who a process is on the bus.
package struct PeerIdentity: Sendable {
    package var name: ProcessName
    /// Further names that it answers to, such as `player`.
    package var roles: [ProcessName]
    package var version: String
    package var pid: Int32
    /// True on `--clock bus`.
    package var virtualTime: Bool
    /// Random per start: tells the sequences of two lives apart.
    package var epoch: UInt64

    package init(
        name: ProcessName, roles: [ProcessName] = [], version: String = "0", virtualTime: Bool = false,
        pid: Int32 = ProcessInfo.processInfo.processIdentifier, epoch: UInt64 = .random(in: 1...UInt64.max)
    ) {
        self.name = name
        self.roles = roles
        self.version = version
        self.virtualTime = virtualTime
        self.pid = pid
        self.epoch = epoch
    }

    package var names: [ProcessName] { [name] + roles }
}
