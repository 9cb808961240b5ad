import Foundation
import TestSupport
import Testing

@testable import Errand

#if os(Linux)
@Suite("Processes killed while storing responses", .timeLimit(.minutes(10)))
struct CacheKillTests {
  @Test(
    "Three concurrent processes are killed at random moments, and every readable entry is complete and correct"
  )
  func killed() async throws {
    let kills = ProcessInfo.processInfo.environment["ERRAND_CACHE_KILLS"].flatMap { Int($0) } ?? 12
    let folder = CacheStoreTests.Folder()
    let path = folder.url.path
    let cache = try DiskCache(directory: folder.url, capacity: 8 << 20)
    let probe = Compiler.products.appendingPathComponent("ExitProbe")
    var random = SeededGenerator(seed: 19)
    var found = 0
    let rounds = (kills + 2) / 3
    for round in 0..<rounds {
      let times = (0..<3).map { _ in 5_000 + random.below(150_000) }
      try await withThrowingTaskGroup(of: Int32.self) { group in
        for (number, time) in times.enumerated() {
          let arguments = ["cache", path, "\(round * 3 + number + 1)", "\(time)"]
          group.addTask { try await Self.run(probe, arguments) }
        }
        for try await status in group { #expect(status == 9) }
      }
      for name in (0..<32).map({ "\($0)" }) {
        let key = CacheKey(url: "https://cache.test/\(name)", partition: "")
        for response in await cache.responses(for: key) {
          let seed = try #require(response.headers["X-Seed"].flatMap { UInt64($0) })
          #expect(try response.body.data() == CachePattern.body(of: seed))
          #expect("\(seed >> 40 & 31)" == name)
          found += 1
        }
      }
    }
    #expect(found >= rounds)
  }

  /// On a global queue, so several processes write at the same time.
  private static func run(_ probe: URL, _ arguments: [String]) async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try ChildProcess.run(probe, arguments).0 })
      }
    }
  }
}
#endif
