import Foundation
import Logging
import Protocols
import ServiceKit

/// Puts the librarian together. The libraries of the command line are imported as far as they changed since the last
/// time: while everything is answered, once it is on the bus; on virtual time before that, so that the moment at which
/// the music is there does not depend on the machine.
///
/// - Parameters:
///   - libraries: absolute paths of files or directories; one that cannot be read is logged, and the others are taken.
///   - thumbnailer: the executable that decodes pictures when called with `--thumbnail PIXELS`.
/// - Throws: `StoreError` when the database cannot be opened.
package func buildLibrarian(
    _ environment: ServiceEnvironment, libraries: [String] = [], thumbnailer: URL
) throws -> Librarian {
    let catalog = try Catalog(directory: environment.dataDirectory)
    let job = ImportJob()
    if environment.isVirtual, !libraries.isEmpty {
        let report = try catalog.importFiles(libraries, onlyChanged: true, job: job)
        job.note(report)
        job.end(.done)
        Librarian.log(report, environment.logger)
    }
    return Librarian(
        catalog: catalog, thumbnails: ThumbnailMaker(executable: thumbnailer), listener: environment.listener,
        logger: environment.logger, atStart: environment.isVirtual ? [] : libraries,
        imported: environment.isVirtual && !libraries.isEmpty ? job : nil)
}
