// swift-tools-version: 6.2
import PackageDescription

// Only with ERRAND_PEERS=all is a package resolved: the one peer that is a package.
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
    .executableTarget(
      name: "bench-errand",
      dependencies: ["BenchSupport", .product(name: "Errand", package: "Errand")],
      path: "Sources/BenchErrand"),
  ],
  swiftLanguageModes: [.v6]
)
