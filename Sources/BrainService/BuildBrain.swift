import Foundation
import ServiceKit

/// Puts the brain together on the database in its data directory.
///
/// - Throws: `StoreError` with cause and cure when the database cannot be used.
package func buildBrain(_ environment: ServiceEnvironment, _ options: BrainOptions = BrainOptions()) throws
    -> BrainService
{
    try BrainService(
        environment: environment, options: options, disk: BrainDisk(directory: environment.dataDirectory))
}
