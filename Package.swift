// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// `URLSessionTransport` and the bridges to `URLRequest` belong to Errand on Apple platforms. On Linux they are a
// module of their own, because they make every program load FoundationNetworking. ErrandURLSession is the folder
// that Errand leaves out: on Apple platforms a file that re-exports Errand.
#if os(Linux)
let sessions = "Transport/URLSession"
#else
let sessions = "Transport/URLSession/Module"
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
    // libcurl and zlib, for the transport on Linux, loaded at run time; elsewhere nothing depends on it.
    .target(
      name: "CCurl",
      cSettings: [.define("CCURL_LINKED", .when(platforms: [.linux], traits: ["LinkedCurl"]))],
      linkerSettings: [
        .linkedLibrary("curl", .when(platforms: [.linux], traits: ["LinkedCurl"])),
        .linkedLibrary("z", .when(platforms: [.linux], traits: ["LinkedCurl"])),
      ]),
    // How much is left of a thread's stack, on Linux; elsewhere nothing depends on it.
    .target(name: "CStack"),
    // MD5 and SHA, with the processor's instructions where it has them; as C they are fast in debug builds too.
    .target(name: "CSums"),
    // Knows nothing of requests: a coder of JSON for whoever wants only that.
    .target(
      name: "ErrandJSON", dependencies: [.target(name: "CStack", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    .target(
      name: "Errand",
      dependencies: [
        "CSums", "ErrandJSON", .target(name: "CCurl", condition: .when(platforms: [.linux])),
      ],
      exclude: [sessions], swiftSettings: strict),
    .target(
      name: "ErrandURLSession", dependencies: ["Errand"], path: "Sources/Errand/\(sessions)",
      swiftSettings: strict),
    // Models for views, presenters, background time and background transfers.
    .target(name: "ErrandApps", dependencies: ["Errand"], swiftSettings: strict),
    // Attributes by OpenTelemetry's conventions.
    .target(name: "ErrandTelemetry", dependencies: ["Errand"], swiftSettings: strict),
    // OAuth 2: tokens from an authorization server.
    .target(name: "ErrandOAuth", dependencies: ["Errand", "ErrandJSON"], swiftSettings: strict),
    // HAR 1.2, for the loggers and the recordings; no product.
    .target(name: "ErrandHARFormat", dependencies: ["Errand", "ErrandJSON"], swiftSettings: strict),
    // Logs as an HTML page and as a HAR file.
    .target(
      name: "ErrandLogs", dependencies: ["Errand", "ErrandHARFormat", "ErrandJSON"], swiftSettings: strict),
    .target(
      name: "ErrandMocks", dependencies: ["Errand", "ErrandHARFormat", "ErrandJSON"], path: "Mocks",
      exclude: ["Testing"], swiftSettings: strict),
    // Apart from the mocks, which apps may use too: it brings Swift Testing with it.
    .target(
      name: "ErrandTesting", dependencies: ["Errand", "ErrandMocks"], path: "Mocks/Testing",
      swiftSettings: strict),
    .executableTarget(
      name: "Quickstart", dependencies: ["Errand", "ErrandLogs", "ErrandMocks"], swiftSettings: strict),
    // Lists, checks and cleans recordings.
    .executableTarget(
      name: "errand-har", dependencies: ["ErrandMocks"], path: "Sources/ErrandHAR", swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Errand", "ErrandMocks"], path: "Tests/TestSupport",
      swiftSettings: strict),
    // Compared with the real headers of libcurl and zlib when it is compiled, where there are any.
    .target(
      name: "CurlABI", dependencies: [.target(name: "CCurl", condition: .when(platforms: [.linux]))],
      path: "Tests/CurlABI"),
    // How fast checksums are; Tests/Benchmarks/sums runs it.
    .executableTarget(
      name: "sum-speed", dependencies: ["Errand"], path: "Tests/SumSpeed", swiftSettings: strict),
    // Answers what the public suite of cache tests fetches; see run.mjs there.
    .executableTarget(
      name: "cache-suite", dependencies: ["Errand"], path: "Tests/CacheSuite", exclude: ["run.mjs"],
      swiftSettings: strict),
    // A name that tests can hold while it is looked up.
    .target(name: "CLookups", path: "Tests/Lookups"),
    .executableTarget(
      name: "ExitProbe",
      dependencies: ["Errand", "ErrandLogs", "ErrandMocks", "ErrandOAuth", "TestSupport"],
      path: "Tests/ExitProbe", swiftSettings: strict),
    .testTarget(
      name: "ErrandTests",
      dependencies: [
        "CLookups", "CSums", "CurlABI", "Errand", "ErrandApps", "ErrandHARFormat", "ErrandLogs",
        "ErrandMocks", "ErrandOAuth", "ErrandTelemetry", "ErrandURLSession", "ExitProbe", "TestSupport",
        "errand-har", "json-comparison",
      ],
      exclude: [
        "Errand", "ErrandApps", "ErrandJSON", "ErrandLogs", "ErrandMocks", "ErrandOAuth", "ErrandTelemetry",
        "ErrandTesting", "ErrandURLSession",
      ].map { "Documentation/PublicSymbols-\($0).txt" },
      swiftSettings: strict),
    // Types and documents to compare decoding with Foundation's.
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
