import ServiceKit

/// Puts the context agent together: the executable passes options, a test passes files of its own.
package func buildContext(_ environment: ServiceEnvironment, sources: ContextSources) -> ContextReader {
    ContextReader(
        sources: sources, listener: environment.listener, timeZone: environment.timeZone, logger: environment.logger)
}
