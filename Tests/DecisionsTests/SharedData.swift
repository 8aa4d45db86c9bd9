import Foundation
import Testing

/// The folder of reference data beside the project, which is not part of it.
let sharedData: URL? = {
    if let path = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"] { return URL(filePath: path) }
    var folder = URL(filePath: #filePath)
    while folder.path != "/" {
        folder.deleteLastPathComponent()
        let candidate = folder.appending(path: "shared/data")
        if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
    }
    return nil
}()

let needsSharedData: Comment = "needs the reference data beside the project"
