/// The way in for the fuzzers of `Fuzz/`, which is a package of its own, so that `swift test` does not link libFuzzer.
///
/// The one public declaration of ours: package access ends at the border of a package. It is linked into no process.
///
/// - Parameters:
///   - target: the name of a ``FuzzTarget``.
/// - Returns: what was promised and does not hold, nil when all is well or there is no such target.
public func fuzz(_ target: String, _ bytes: UnsafeRawBufferPointer) -> String? {
    guard let target = FuzzTarget(rawValue: target) else { return nil }
    do throws(BrokenPromise) {
        try target.run(Array(bytes))
        return nil
    } catch {
        return error.description
    }
}
