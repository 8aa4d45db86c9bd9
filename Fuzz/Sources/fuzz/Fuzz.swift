import Foundation
import FuzzTargets

/// Which place is fuzzed: `RESONANCE_FUZZ`, one of `FuzzTarget`.
private let target = ProcessInfo.processInfo.environment["RESONANCE_FUZZ"] ?? ""

/// What libFuzzer calls with one input after the other. A broken promise ends the process, so that the input is kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let complaint = fuzz(target, UnsafeRawBufferPointer(start: bytes, count: count)) {
        FileHandle.standardError.write(Data("broken promise: \(complaint)\n".utf8))
        abort()
    }
    return 0
}
