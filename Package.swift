// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// The folder of ErrandURLSession, left out of Errand. On Linux, the folder needs FoundationNetworking, which
// Errand must not load. On Apple platforms, the folder re-exports Errand.
#if os(Linux)
let sessions = "Transport/URLSession"
#else
let sessions = "Transport/URLSession/Module"
#endif

// The reasons for functions that Apple wants a reason for; `.ci/privacy` compares the files with the code.
// Linux has no use for the files, and a resource would add a bundle to each program.
#if os(Linux)
let (privacy, unused) = ([Resource](), ["PrivacyInfo.xcprivacy"])
#else
let (privacy, unused) = ([Resource.copy("PrivacyInfo.xcprivacy")], [String]())
#endif

let package = Package(
  name: "Errand",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "Errand", targets: ["Errand"]),
    .library(name: "ErrandApps", targets: ["ErrandApps"]),
    .library(name: "ErrandJSON", targets: ["ErrandJSON"]),
    .library(name: "ErrandLogs", targets: ["ErrandLogs"]),
    .library(name: "ErrandMocks", targets: ["ErrandMocks"]),
    .library(name: "ErrandOAuth", targets: ["ErrandOAuth"]),
    .library(name: "ErrandService", targets: ["ErrandService"]),
    .library(name: "ErrandTelemetry", targets: ["ErrandTelemetry"]),
    .library(name: "ErrandTesting", targets: ["ErrandTesting"]),
    .library(name: "ErrandURLSession", targets: ["ErrandURLSession"]),
  ],
  traits: [
    .trait(
      name: "LinkedCurl",
      description:
        "Links libcurl and zlib on Linux, for statically linked executables, which can load nothing.")
  ],
  targets: [
    // The interface of libcurl and zlib, for Linux.
    .target(
      name: "CCurl",
      cSettings: [.define("CCURL_LINKED", .when(platforms: [.linux], traits: ["LinkedCurl"]))],
      linkerSettings: [
        .linkedLibrary("curl", .when(platforms: [.linux], traits: ["LinkedCurl"])),
        .linkedLibrary("z", .when(platforms: [.linux], traits: ["LinkedCurl"])),
      ]),
    // The free stack of a thread, for Linux.
    .target(name: "CStack"),
    // MD5 and SHA. C is fast in debug builds too.
    .target(name: "CSums"),
    // A JSON coder without requests.
    .target(
      name: "ErrandJSON", dependencies: [.target(name: "CStack", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    .target(
      name: "Errand",
      dependencies: [
        "CSums", "ErrandJSON", .target(name: "CCurl", condition: .when(platforms: [.linux])),
      ],
      exclude: [sessions] + unused, resources: privacy, swiftSettings: strict),
    .target(
      name: "ErrandURLSession", dependencies: ["Errand"], path: "Sources/Errand/\(sessions)",
      swiftSettings: strict),
    .target(name: "ErrandApps", dependencies: ["Errand"], swiftSettings: strict),
    // Control of connections and load, for services.
    .target(name: "ErrandService", dependencies: ["Errand"], swiftSettings: strict),
    // OpenTelemetry attributes.
    .target(name: "ErrandTelemetry", dependencies: ["Errand"], swiftSettings: strict),
    // OAuth 2 tokens.
    .target(name: "ErrandOAuth", dependencies: ["Errand", "ErrandJSON"], swiftSettings: strict),
    // HAR 1.2, for logs and recordings.
    .target(name: "ErrandHARFormat", dependencies: ["Errand", "ErrandJSON"], swiftSettings: strict),
    // HTML and HAR logs.
    .target(
      name: "ErrandLogs", dependencies: ["Errand", "ErrandHARFormat", "ErrandJSON"], exclude: unused,
      resources: privacy, swiftSettings: strict),
    .target(
      name: "ErrandMocks", dependencies: ["Errand", "ErrandHARFormat", "ErrandJSON"], path: "Mocks",
      exclude: ["Testing"], swiftSettings: strict),
    // Separate from ErrandMocks, because this target needs Swift Testing.
    .target(
      name: "ErrandTesting", dependencies: ["Errand", "ErrandMocks"], path: "Mocks/Testing",
      swiftSettings: strict),
    .executableTarget(
      name: "Quickstart", dependencies: ["Errand", "ErrandLogs", "ErrandMocks"], swiftSettings: strict),
    // A command-line tool for recordings.
    .executableTarget(
      name: "errand-har", dependencies: ["ErrandMocks"], path: "Sources/ErrandHAR", swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Errand", "ErrandMocks"], path: "Tests/TestSupport",
      swiftSettings: strict),
    // Compares CCurl with the headers of libcurl and zlib at compile time, if installed.
    .target(
      name: "CurlABI", dependencies: [.target(name: "CCurl", condition: .when(platforms: [.linux]))],
      path: "Tests/CurlABI"),
    // Measures checksums for Tests/Benchmarks/sums.
    .executableTarget(
      name: "sum-speed", dependencies: ["Errand"], path: "Tests/SumSpeed", swiftSettings: strict),
    // A client for the public HTTP cache tests; see run.mjs.
    .executableTarget(
      name: "cache-suite", dependencies: ["Errand"], path: "Tests/CacheSuite", exclude: ["run.mjs"],
      swiftSettings: strict),
    // Name lookups that tests can delay.
    .target(name: "CLookups", path: "Tests/Lookups"),
    .executableTarget(
      name: "ExitProbe",
      dependencies: ["Errand", "ErrandLogs", "ErrandMocks", "ErrandOAuth", "TestSupport"],
      path: "Tests/ExitProbe", swiftSettings: strict),
    .testTarget(
      name: "ErrandTests",
      dependencies: [
        "CLookups", "CSums", "CurlABI", "Errand", "ErrandApps", "ErrandHARFormat", "ErrandLogs",
        "ErrandMocks", "ErrandOAuth", "ErrandService", "ErrandTelemetry", "ErrandURLSession", "ExitProbe",
        "TestSupport", "errand-har", "json-comparison",
      ],
      exclude: [
        "Errand", "ErrandApps", "ErrandJSON", "ErrandLogs", "ErrandMocks", "ErrandOAuth", "ErrandService",
        "ErrandTelemetry", "ErrandTesting", "ErrandURLSession",
      ].map { "Documentation/PublicSymbols-\($0).txt" },
      swiftSettings: strict),
    // Types and documents for comparisons with Foundation's decoder.
    .target(
      name: "JSONCases", dependencies: ["ErrandJSON"], path: "Tests/JSONCases", swiftSettings: strict),
    .executableTarget(
      name: "json-comparison", dependencies: ["ErrandJSON", "JSONCases"], path: "Tests/JSONComparison",
      swiftSettings: strict),
    .testTarget(
      name: "ErrandJSONTests", dependencies: ["ErrandJSON", "JSONCases"], swiftSettings: strict),
    .testTarget(
      name: "ErrandMocksTests",
      dependencies: ["Errand", "ErrandHARFormat", "ErrandLogs", "ErrandMocks", "TestSupport"],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "ErrandTestingTests", dependencies: ["Errand", "ErrandMocks", "ErrandTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "PlainConsumerTests", dependencies: ["Errand", "ErrandMocks", "ErrandTesting", "TestSupport"],
      path: "Tests/ConsumerTests/Plain"),
    .testTarget(
      name: "MainActorConsumerTests", dependencies: ["Errand", "ErrandMocks", "TestSupport"],
      path: "Tests/ConsumerTests/MainActorDefault",
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ],
  swiftLanguageModes: [.v6]
)
