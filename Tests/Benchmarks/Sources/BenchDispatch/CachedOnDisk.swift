import BenchSupport
import Errand
import Foundation

/// Dispatches that are answered by a cache on a disk with 10,000 answers, 1 GB of them, each by another.
///
/// What is not there yet is stored: a run of as many fills it for those that follow.
actor CachedOnDisk {
  private static let count = 10_000
  private let agent: RequestAgent
  private var last = 0

  init() {
    do {
      var configuration = AgentConfiguration()
      configuration.cache = try .disk(
        directory: FileManager.default.temporaryDirectory.appending(path: "errand-bench-cache"),
        capacity: 2 << 30)
      let transport = ConstantTransport(Data(count: 100_000), more: ["Cache-Control": "max-age=864000"])
      agent = RequestAgent(baseURL: "https://cache.test", transport: transport, configuration: configuration)
    } catch {
      fail("\(error)")
    }
  }

  nonisolated func send() async throws -> Int { try await agent.send(GetBytes(path: await next())).count }

  /// A prime step away from the one before, so that no two in a row are neighbours.
  private func next() -> String {
    last = (last + 7_919) % Self.count
    return "\(last)"
  }
}
