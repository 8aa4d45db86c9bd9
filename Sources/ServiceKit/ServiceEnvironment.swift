import Foundation
import Logging
import Protocols

/// What every process is given at its start: nothing below this asks the system for a clock, a seed or a folder.
package struct ServiceEnvironment: Sendable {
    /// The name it answers to on the bus.
    package var process: ProcessName
    /// Whose topics it speaks of; `me` unless a household says otherwise.
    package var listener: String
    /// Seeds every random draw, and is logged.
    package var seed: UInt64
    /// For "morning" and "22:00": local hours of the listener.
    package var timeZone: TimeZone
    /// Holds the process's own database; exists, 0700.
    package var dataDirectory: URL
    package var logger: Logger
    /// It lives on virtual time: what it does must not depend on the pace of the machine.
    package var isVirtual: Bool

    package init(
        process: ProcessName, listener: String = "me", seed: UInt64 = 1, timeZone: TimeZone = .current,
        dataDirectory: URL, logger: Logger, isVirtual: Bool = false
    ) {
        self.isVirtual = isVirtual
        self.process = process
        self.listener = listener
        self.seed = seed
        self.timeZone = timeZone
        self.dataDirectory = dataDirectory
        self.logger = logger
    }
}
