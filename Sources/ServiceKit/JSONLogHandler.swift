import Foundation
import Logging

/// Writes one JSON object per line to standard error: `at`, `level`, `process`, `message`, then the metadata.
///
/// A message is a constant sentence; values are metadata. Nothing about the body or the listener's songs is logged.
package struct JSONLogHandler: LogHandler {
    package var logLevel: Logger.Level = .info
    package var metadata: Logger.Metadata = [:]
    private let label: String

    package init(label: String) { self.label = label }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields: [String: String] = [:]
        for (key, value) in metadata { fields[key] = "\(value)" }
        for (key, value) in event.metadata ?? [:] { fields[key] = "\(value)" }
        fields["at"] = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        fields["level"] = "\(event.level)"
        fields["process"] = label
        fields["message"] = "\(event.message)"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var line = try? encoder.encode(fields) else { return }
        line.append(0x0A)
        // One write per line: lines of several threads do not mix below PIPE_BUF.
        try? FileHandle.standardError.write(contentsOf: line)
    }
}
