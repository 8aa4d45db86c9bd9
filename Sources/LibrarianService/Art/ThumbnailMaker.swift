import CImages
import Foundation
import Glibc

/// Makes small square pictures in a child process: a picture that breaks the decoder breaks only the child.
package struct ThumbnailMaker: Sendable {
    /// Sides in pixels that faces ask for.
    package static let sizes: Set<Int> = [80, 300]
    /// Seconds after which a child is killed.
    private static let patience = 5.0
    private static let childMemory: rlim_t = 1 << 30
    private static let childSeconds: rlim_t = 4

    private let executable: URL

    /// - Parameter executable: called with `--thumbnail PIXELS`; it runs ``runChild(pixels:)``.
    package init(executable: URL) { self.executable = executable }

    /// A JPEG of `pixels` × `pixels`, or nil when the picture cannot be shown. Blocks for up to 5 s.
    package func thumbnail(of picture: Data, pixels: Int) -> Data? {
        guard picture.count <= ArtFinder.largest else { return nil }
        let child = Process()
        child.executableURL = executable
        child.arguments = ["--thumbnail", "\(pixels)"]
        child.environment = ["SWIFT_BACKTRACE": "enable=no"]
        // Not a pipe: a child that dies early would leave a broken one to write into.
        guard let input = Self.memoryFile(holding: picture) else { return nil }
        let output = Pipe()
        child.standardInput = input
        child.standardOutput = output
        child.standardError = FileHandle.nullDevice
        do { try child.run() } catch { return nil }
        let killer = DispatchWorkItem { kill(child.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: killer)
        let result = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        child.waitUntilExit()
        killer.cancel()
        guard child.terminationReason == .exit, child.terminationStatus == 0, !result.isEmpty else { return nil }
        return result
    }

    private static func memoryFile(holding bytes: Data) -> FileHandle? {
        let descriptor = resonance_memory_file()
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: bytes)
            try file.seek(toOffset: 0)
        } catch { return nil }
        return file
    }

    /// What the child does: a picture on standard input, its thumbnail on standard output.
    ///
    /// - Returns: the exit status: 0, or 1 for a picture that cannot be shown.
    package static func runChild(pixels: Int) -> Int32 {
        resonance_limit_decoder(childMemory, childSeconds)
        guard sizes.contains(pixels), let picture = try? FileHandle.standardInput.readToEnd(),
            picture.count <= ArtFinder.largest, let thumbnail = make(from: picture, pixels: pixels)
        else { return 1 }
        do { try FileHandle.standardOutput.write(contentsOf: thumbnail) } catch { return 1 }
        return 0
    }

    static func make(from picture: Data, pixels: Int) -> Data? {
        PixelImage(decoding: picture)?.square(pixels).jpeg
    }
}
