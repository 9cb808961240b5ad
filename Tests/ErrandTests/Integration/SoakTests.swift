import Errand
import Foundation
import Testing

/// Too long for every run.
///
/// Run with nginx as `.ci/run` starts nginx:
///
///     ERRAND_NGINX=http://127.0.0.1:PORT ERRAND_SOAK=1000000 swift test --filter SoakTests
@Suite(
  "In the long run",
  .enabled(if: Server.soak != nil, "set ERRAND_SOAK to a number of requests to run these"))
struct SoakTests {
  /// Resident memory in KiB and open descriptors, from `/proc` on Linux.
  struct Sample: CustomStringConvertible {
    let memory: Int
    let descriptors: Int

    init() throws {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
      memory = Int(line.filter(\.isNumber)) ?? 0
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    var description: String { "\(memory) KiB, \(descriptors) descriptors" }
  }

  @Test("Memory and descriptors are constant after the first 10,000 requests")
  func flat() async throws {
    let count = try #require(Server.soak)
    let agent = RequestAgent(baseURL: Server.nginx)
    agent.maxRequestsPerOrigin = 0
    try await Self.send(10_000, agent)
    let first = try Sample()
    print("after 10000: \(first)")
    for part in 1...10 {
      try await Self.send((count - 10_000) / 10, agent)
      print("after \(10_000 + part * (count - 10_000) / 10): \(try Sample())")
    }
    let last = try Sample()
    #expect(last.memory - first.memory < 8 * 1024)
    #expect(last.descriptors <= first.descriptors)
    #expect(agent.liveCount == 0)
  }

  /// 64 at the same time.
  private static func send(_ count: Int, _ agent: RequestAgent) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<64 {
        group.addTask {
          for _ in stride(from: lane, to: count, by: 64) {
            _ = try await agent.send(.get("user.json", as: NginxTests.User.self))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
