/// One request for figures, as far as it has come: HTTP GET or HEAD, without a body.
///
/// Source: RFC 9112 (HTTP/1.1), request line and fields; a connection serves one request.
enum MetricsRequest: Equatable {
    /// The head has not ended yet.
    case incomplete
    case get(path: String, host: String?, headOnly: Bool)
    /// It will not be answered with content.
    case refused(status: Int)

    /// The longest head that is read, bytes.
    static let limit = 4096

    /// Judges what has come so far.
    init(_ bytes: [UInt8]) {
        guard let end = Self.endOfHead(bytes) else {
            if bytes.count > Self.limit {
                self = .refused(status: 431)
            } else {
                self = bytes.contains(0) ? .refused(status: 400) : .incomplete
            }
            return
        }
        guard end <= Self.limit else {
            self = .refused(status: 431)
            return
        }
        guard let head = String(validating: bytes[..<end], as: UTF8.self) else {
            self = .refused(status: 400)
            return
        }
        // A line ends in CR LF, which is one character.
        let lines = head.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
            self = .refused(status: 400)
            return
        }
        guard words[0] == "GET" || words[0] == "HEAD" else {
            self = .refused(status: 405)
            return
        }
        let host = lines.dropFirst().first { $0.lowercased().hasPrefix("host:") }.map {
            $0.dropFirst("host:".count).drop { $0 == " " || $0 == "\t" }
        }
        let path = words[1].prefix { $0 != "?" }
        self = .get(path: String(path), host: host.map { String($0) }, headOnly: words[0] == "HEAD")
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        for index in bytes.indices where bytes[index] == 0x0A {
            if index >= 1, bytes[index - 1] == 0x0A { return index }
            if index >= 3, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A { return index }
        }
        return nil
    }

    /// True for a name of this machine: another name in the Host field comes from a web page that was rebound to us.
    static func isLocal(host: String) -> Bool {
        let name: Substring
        if host.hasPrefix("[") {
            name = host.prefix { $0 != "]" } + "]"
        } else {
            name = host.prefix { $0 != ":" }
        }
        return name == "localhost" || name == "[::1]" || name.hasPrefix("127.")
    }
}

/// An answer, whole.
struct MetricsResponse: Equatable {
    var status: Int
    var type = "text/plain; charset=utf-8"
    var body: String

    /// As it goes out; a HEAD request gets the fields alone.
    func bytes(headOnly: Bool = false) -> [UInt8] {
        let reason =
            switch status {
            case 200: "OK"
            case 400: "Bad Request"
            case 403: "Forbidden"
            case 404: "Not Found"
            case 405: "Method Not Allowed"
            case 431: "Request Header Fields Too Large"
            default: "Service Unavailable"
            }
        let head =
            "HTTP/1.1 \(status) \(reason)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + (headOnly ? [] : Array(body.utf8))
    }
}
