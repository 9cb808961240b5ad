import BenchSupport
import Errand
import Foundation

/// Dispatches answered by a disk cache of 10,000 responses, 1 GB in total; each dispatch reads another
/// response.
///
/// A response that is absent is stored. Run 10,000 dispatches first to fill the cache for later runs.
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

  /// Returns a path at a prime distance from the previous path, so two dispatches in a row never read
  /// neighbouring entries.
  private func next() -> String {
    last = (last + 7_919) % Self.count
    return "\(last)"
  }
}
