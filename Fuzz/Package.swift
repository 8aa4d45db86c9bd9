// swift-tools-version: 6.2
import PackageDescription

// A package of its own: libFuzzer brings its own `main`, which `swift test` must not link. See README.md.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "resonance", path: "..")],
    targets: [
        .executableTarget(
            name: "fuzz", dependencies: [.product(name: "FuzzTargets", package: "resonance")],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])])
    ]
)
