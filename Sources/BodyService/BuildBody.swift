import Physiology
import Protocols
import ServiceKit
import Store

/// Puts the body together: opens `body.sqlite` in the data directory.
///
/// - Throws: ``StoreError`` with cause and cure.
package func buildBody(_ environment: ServiceEnvironment) throws -> BodyKeeper {
    try BodyKeeper(
        store: BodyStore(directory: environment.dataDirectory), clock: LocalClock(timeZone: environment.timeZone),
        listener: environment.listener, logger: environment.logger, reader: healthReader)
}
