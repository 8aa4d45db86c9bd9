/// Why a process is not, or no longer, on the bus.
package enum BusError: Error, Equatable, CustomStringConvertible {
    /// The hub refused the hello: another process has the name.
    case refused(code: String, message: String)
    case noHub(endpoint: String, seconds: Double)
    /// TCP leaves the machine only with encryption.
    case notLoopback(endpoint: String)
    /// The connection to the hub was refused before a word was said; `reason` tells why and what to do.
    case handshakeRefused(reason: String)
    case badEndpoint(endpoint: String, reason: String)
    case socket(operation: String, reason: String)
    case hubRuns(pid: String, path: String)
    case stepsMissing(processes: [String], step: UInt64, seconds: Double)

    /// True when another right, not another try, would help.
    package var isNotAllowed: Bool {
        switch self {
        case .refused(let code, _): code == "not-allowed"
        case .handshakeRefused, .notLoopback: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .refused(_, let message): message
        case .noHub(let endpoint, let seconds):
            "no hub at \(endpoint) within \(seconds) s: start it with deploy/up, or check the runtime directory"
        case .notLoopback(let endpoint):
            "\(endpoint) leaves this machine: TCP is only allowed on 127.0.0.1 and [::1] without encryption; run "
                + "`resonance pair NAME` at the hub and give the line that it prints"
        case .handshakeRefused(let reason): reason
        case .badEndpoint(let endpoint, let reason): "endpoint \(endpoint): \(reason)"
        case .socket(let operation, let reason): "\(operation): \(reason)"
        case .hubRuns(let pid, let path): "a hub already runs (pid \(pid), lock \(path)): stop it first"
        case .stepsMissing(let processes, let step, let seconds):
            "step \(step) of virtual time waits for \(processes.joined(separator: ", ")) since \(Int(seconds)) s"
        }
    }
}
