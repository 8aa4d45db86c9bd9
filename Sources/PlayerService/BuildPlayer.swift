import ServiceKit

/// Puts the silent player together.
///
/// - Parameter failing: ids of songs that fail when they start, to see what the rest of the house does then.
package func buildPlayer(_ environment: ServiceEnvironment, failing: Set<String> = []) -> StubPlayer {
    StubPlayer(listener: environment.listener, logger: environment.logger, failing: failing)
}
