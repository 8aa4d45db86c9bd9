// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let keyDerivation = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

/// A library of ours under `Sources/`.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", swiftSettings: strict)
}

/// One process: an executable under `Services/` whose wiring lives in a library.
func service(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + ["ServiceKit", "Protocols", argumentParser], path: "Services/\(name)",
        swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

let system: [Target] = [
    .systemLibrary(name: "CZeroMQ", path: "Sources/CZeroMQ"),
    .systemLibrary(name: "CPosix", path: "Sources/CPosix"),
    .systemLibrary(name: "CIcal", path: "Sources/CIcal", pkgConfig: "libical", providers: [.apt(["libical-dev"])]),
    .systemLibrary(
        name: "CImages", path: "Sources/CImages", providers: [.apt(["libturbojpeg0-dev", "libpng-dev"])]),
    .systemLibrary(name: "CExpat", path: "Sources/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CZip", path: "Sources/CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
]

let libraries: [Target] = [
    .target(name: "Protocols", path: "Protocols", exclude: ["Vectors"], swiftSettings: strict),
    module("Bus", ["Protocols", "CZeroMQ", logging]),
    module("Physiology", ["Protocols"]),
    module("Music", ["Protocols"]),
    module("Decisions", ["Protocols", "Physiology", "Music"]),
    module("Learning", ["Protocols", "Physiology", "Music", "Decisions"]),
    module("Formats", ["Protocols", "Physiology", "Music", "CIcal", "CExpat", "CZip"]),
    module("Store", ["Protocols", grdb, sqlite, logging]),
    module("Backup", ["Protocols", "Store", "CPosix", crypto, keyDerivation, grdb]),
    module(
        "ServiceKit",
        [
            "Protocols", "Bus", "CPosix", argumentParser, logging, lifecycle, unixSignals, systemPackage, configuration,
            metrics,
        ]),
    module("HubService", ["Protocols", "Bus", "ServiceKit", "Store", "CPosix", logging, lifecycle, grdb]),
    module("SensorService", ["Protocols", "Bus", "Physiology", "Formats", "ServiceKit", logging]),
    module("ContextService", ["Protocols", "Bus", "Formats", "ServiceKit", logging]),
    module(
        "LibrarianService",
        ["Protocols", "Bus", "Music", "Formats", "Store", "ServiceKit", "CImages", logging, grdb]),
    module(
        "BodyService", ["Protocols", "Bus", "Physiology", "Formats", "Store", "ServiceKit", crypto, logging, grdb]),
    module(
        "BrainService",
        [
            "Protocols", "Bus", "Physiology", "Music", "Decisions", "Learning", "Store", "ServiceKit", logging, grdb,
        ]),
    module("FuzzTargets", ["Protocols", "Bus", "Backup", "Formats", "Physiology"]),
    module("PlayerService", ["Protocols", "Bus", "ServiceKit", logging]),
    module(
        "ResonanceCLI",
        [
            "Protocols", "Backup", "BodyService", "Bus", "CPosix", "Formats", "Music", "Physiology", "ServiceKit",
            "Store", argumentParser, logging,
        ]),
]

let services: [Target] = [
    service("hub", ["HubService"]),
    service("sensor-emitter", ["SensorService", "Formats"]),
    service("context-agent", ["ContextService"]),
    service("librarian", ["LibrarianService"]),
    service("body", ["BodyService"]),
    service("brain", ["BrainService"]),
    service("player-stub", ["PlayerService"]),
    service("resonance", ["ResonanceCLI"]),
]

let testTargets: [Target] = [
    tests("ProtocolsTests", ["Protocols"]),
    tests("BusTests", ["Bus", "Physiology", "CZeroMQ", "Protocols", logging]),
    tests("PhysiologyTests", ["Physiology", "Protocols", "Formats"]),
    tests("MusicTests", ["Music", "Protocols"]),
    tests("DecisionsTests", ["Decisions", "Music", "Physiology", "Protocols"]),
    tests("LearningTests", ["Learning", "Decisions", "Music", "Physiology", "Protocols"]),
    tests("FormatsTests", ["Formats", "Physiology", "Music", "Protocols"]),
    tests("StoreTests", ["Store", "Protocols", grdb]),
    tests("BackupTests", ["Backup", "Store", "Protocols", crypto, grdb]),
    tests("ServiceKitTests", ["ServiceKit", "Bus", "Protocols", metrics]),
    tests("HubServiceTests", ["HubService", "ServiceKit", "Bus", "Store", "Protocols", grdb, logging]),
    tests("SensorServiceTests", ["SensorService", "Bus", "Formats", "Physiology", "Protocols"]),
    tests("ContextServiceTests", ["ContextService", "ServiceKit", "Bus", "Formats", "Protocols", logging]),
    tests(
        "LibrarianServiceTests",
        [
            "LibrarianService", "librarian", "ServiceKit", "Bus", "Formats", "Music", "Store", "Protocols", logging,
            grdb,
        ]),
    tests(
        "BodyServiceTests",
        ["BodyService", "Bus", "Formats", "Physiology", "ServiceKit", "Store", "Protocols", grdb, logging]),
    tests(
        "BrainServiceTests",
        [
            "BrainService", "PlayerService", "ServiceKit", "Bus", "Decisions", "Learning", "Music", "Physiology",
            "Store", "Protocols", grdb, logging,
        ]),
    tests("PlayerServiceTests", ["PlayerService", "Bus", "Protocols"]),
    tests(
        "ResonanceCLITests",
        ["ResonanceCLI", "resonance", "Backup", "Bus", "Protocols", "ServiceKit", "Store", argumentParser, grdb]),
    tests("FuzzTests", ["FuzzTargets"]),
    tests(
        "SchemaTests",
        ["Backup", "BodyService", "BrainService", "Bus", "HubService", "LibrarianService", "Protocols", "Store", grdb]),
    tests("SystemTests", ["Protocols", "Bus"]),
]

let benchmarks: [Target] = [
    .executableTarget(
        name: "bus-benchmark", dependencies: ["Bus", "CZeroMQ", "Protocols", logging], path: "Benchmarks/bus",
        swiftSettings: strict),
    .executableTarget(
        name: "decision-benchmark", dependencies: ["Decisions", "Music", "Physiology", "Protocols"],
        path: "Benchmarks/decision",
        exclude: ["ranking.py"], swiftSettings: strict),
    .executableTarget(
        name: "health-benchmark", dependencies: ["Formats", "Physiology", "Protocols"], path: "Benchmarks/health",
        swiftSettings: strict),
    .executableTarget(
        name: "chaos", dependencies: ["Bus", "Physiology", "Protocols", "Store", argumentParser, logging, grdb],
        path: "Benchmarks/chaos", exclude: ["REPORT.md"], swiftSettings: strict),
]

let package = Package(
    name: "resonance",
    // For the fuzzers alone, which are a package of their own.
    products: [.library(name: "FuzzTargets", targets: ["FuzzTargets"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: [.defaults, "CommandLineArguments"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: system + libraries + services + testTargets + benchmarks
)

// ONLY="PhysiologyTests body" builds just those targets and what they need.
if let only = Context.environment["ONLY"] {
    var wanted = Set(only.split(separator: " ").map(String.init))
    var grew = true
    while grew {
        grew = false
        for target in package.targets where wanted.contains(target.name) {
            for dependency in target.dependencies {
                if case .byNameItem(let name, _) = dependency, wanted.insert(name).inserted { grew = true }
            }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products.removeAll { !wanted.contains($0.name) }
}
