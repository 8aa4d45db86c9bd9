/// The version of this build, as in `CHANGELOG.md`.
package enum ResonanceVersion {
    package static let current = "0.1.0"
}
