// swift-tools-version: 6.2
import PackageDescription

// Resolves the only package dependency, AsyncHTTPClient, only with ERRAND_PEERS=all.
let peers = Context.environment["ERRAND_PEERS"] == "all"

var package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Errand", path: "../..")],
  targets: [
    .target(name: "CMeasure"),
    .target(name: "CurlWrappers", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "BenchSupport", dependencies: ["CMeasure"]),
    .executableTarget(name: "bench-c", dependencies: ["CMeasure", "CurlWrappers"], path: "Sources/BenchC"),
    .executableTarget(
      name: "bench-thin", dependencies: ["BenchSupport", "CurlWrappers"], path: "Sources/BenchThin"),
    .target(
      name: "BenchErrandCalls", dependencies: ["BenchSupport", .product(name: "Errand", package: "Errand")]),
    .executableTarget(
      name: "bench-errand",
      dependencies: ["BenchErrandCalls", "BenchSupport", .product(name: "Errand", package: "Errand")],
      path: "Sources/BenchErrand"),
    .executableTarget(
      name: "bench-errand-urlsession",
      dependencies: [
        "BenchErrandCalls", "BenchSupport", .product(name: "ErrandURLSession", package: "Errand"),
      ],
      path: "Sources/BenchErrandURLSession"),
    .target(name: "CAllocations"),
    .executableTarget(
      name: "bench-dispatch",
      dependencies: [
        "BenchSupport", "CAllocations", .product(name: "Errand", package: "Errand"),
        .product(name: "ErrandLogs", package: "Errand"), .product(name: "ErrandMocks", package: "Errand"),
      ],
      path: "Sources/BenchDispatch"),
    // All files but BenchScheduler.swift are symbolic links to files of Errand.
    .executableTarget(
      name: "bench-scheduler", dependencies: ["BenchSupport", "CAllocations"], path: "Sources/BenchScheduler"),
    // A separate module, as an app's models are separate from a library. The compiler cannot specialise the
    // decoder for these types.
    .target(name: "BenchJSONModels"),
    .executableTarget(
      name: "bench-json",
      dependencies: ["BenchJSONModels", .product(name: "ErrandJSON", package: "Errand")],
      path: "Sources/BenchJSON"),
    .executableTarget(
      name: "bench-urlsession", dependencies: ["BenchSupport"], path: "Sources/BenchURLSession"),
  ],
  swiftLanguageModes: [.v6]
)

if peers {
  package.dependencies += [
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
  ]
  package.targets.append(
    .executableTarget(
      name: "bench-asynchttpclient",
      dependencies: [
        "BenchSupport", .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      path: "Sources/BenchAsyncHTTPClient"))
}
