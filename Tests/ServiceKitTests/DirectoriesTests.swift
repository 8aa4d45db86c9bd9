import Foundation
import ServiceKit
import Testing

struct DirectoriesTests {
    @Test func `follows the XDG variables and its own above them`() {
        let standard = Directories.standard(environment: ["HOME": "/home/a", "XDG_RUNTIME_DIR": "/run/user/7"])
        #expect(standard.runtime.path(percentEncoded: false) == "/run/user/7/resonance/")
        #expect(standard.data.path(percentEncoded: false) == "/home/a/.local/share/resonance/")
        let moved = Directories.standard(environment: [
            "HOME": "/home/a", "XDG_DATA_HOME": "/d", "RESONANCE_DATA_DIR": "/own",
        ])
        #expect(moved.data.path(percentEncoded: false) == "/own/")
    }

    @Test func `refuses a folder that others can enter and one that is a link`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        try ensurePrivateDirectory(root)
        let mode =
            try FileManager.default.attributesOfItem(atPath: root.path(percentEncoded: false))[
                .posixPermissions] as? Int
        #expect(mode == 0o700)

        let open = root.appending(path: "open")
        try FileManager.default.createDirectory(
            at: open, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        #expect(throws: DirectoryError.self) { try ensurePrivateDirectory(open) }

        let link = root.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: root)
        #expect(throws: DirectoryError.self) { try ensurePrivateDirectory(link) }
    }

    @Test func `a second holder of the lock is told who has it`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        try ensurePrivateDirectory(root)
        let first = try InstanceLock(name: "brain", in: root)
        #expect {
            _ = try InstanceLock(name: "brain", in: root)
        } throws: { error in
            "\(error)".contains("brain already runs (pid \(ProcessInfo.processInfo.processIdentifier))")
        }
        withExtendedLifetime(first) {}
    }
}
