import Formats
import Foundation
import Logging
import Protocols
import ServiceKit

/// Puts the librarian together and imports the libraries of the command line, as far as they changed since the last
/// time; one that cannot be read is logged, and the others are taken.
///
/// - Parameters:
///   - libraries: absolute paths of files or directories.
///   - thumbnailer: the executable that decodes pictures when called with `--thumbnail PIXELS`.
/// - Throws: `StoreError` when the database cannot be opened.
package func buildLibrarian(
    _ environment: ServiceEnvironment, libraries: [String] = [], thumbnailer: URL
) throws -> Librarian {
    let catalog = try Catalog(directory: environment.dataDirectory)
    if !libraries.isEmpty {
        let report = try catalog.importFiles(libraries, onlyChanged: true)
        for file in report.files {
            guard let error = file.error else { continue }
            environment.logger.error("library not imported", metadata: ["error": "\(error.withoutQuotations)"])
        }
        environment.logger.info(
            "libraries imported", metadata: ["added": "\(report.added)", "updated": "\(report.updated)"])
    }
    return Librarian(
        catalog: catalog, thumbnails: ThumbnailMaker(executable: thumbnailer), listener: environment.listener,
        logger: environment.logger)
}
