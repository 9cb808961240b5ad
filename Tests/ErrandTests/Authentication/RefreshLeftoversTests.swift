import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Requests left behind by a refresh", .timeLimit(.minutes(5)))
struct RefreshLeftoversTests {
  private struct Poll: Request {
    typealias Response = String
    var path = "poll"
    var isSerial = false
    var authentication: Authentication = .inherited
  }

  /// Creates an agent whose first refresh starts a task that outlives the refresh.
  private func agent(
    _ transport: any Transport, leaving task: @escaping @Sendable (RequestAgent) async -> Void
  ) -> RequestAgent {
    var configuration = AgentConfiguration()
    configuration.maxRequestsPerOrigin = 1
    let (refreshes, later) = (Locked(0), Locked<RequestAgent?>(nil))
    configuration.authenticator = BearerAuthenticator(nil) { _, context in
      let token = try await context.send(RenewToken())
      let isFirst = refreshes.withLock { count in
        count += 1
        return count == 1
      }
      let agent = later.withLock { agent in
        defer { agent = nil }
        return agent
      }
      if isFirst, let agent { Task { await task(agent) } }
      return BearerAuthenticator.Credential(accessToken: token)
    }
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: transport, configuration: configuration)
    later.withLock { $0 = agent }
    return agent
  }

  @Test(
    "Requests left behind by a refresh wait for slots and rate limits like all others",
    arguments: [true, false])
  func limits(_ isSerial: Bool) async throws {
    let (gate, begins) = (GateTransport(), OneTime<Void>())
    let handles = Locked([RequestHandle<String>]())
    let agent = agent(gate) { agent in
      try? await begins.wait()
      for number in 0..<5 {
        let handle = agent.start(Poll(path: "\(number)", isSerial: isSerial))
        handles.withLock { $0.append(handle) }
      }
    }
    let first = agent.start(Poll(path: "first"))
    await gate.waitForStarts(1)
    gate.answer("/token", HTTPResponse(body: Data("t".utf8)))
    await gate.waitForStarts(2)
    gate.answer("/first", HTTPResponse(body: Data("ok".utf8)))
    _ = try await first.value

    begins.set(())
    await until { agent.waitingCount == 4 }
    await gate.waitForStarts(3)
    #expect(gate.most == 1 && agent.runningCount == 1)
    gate.open()
    await until { handles.withLock { $0.count } == 5 && agent.liveCount == 0 }
    #expect(gate.most == 1)
  }

  @Test("Requests left behind wait for a later refresh, and do not fail")
  func nextRefresh() async throws {
    let (gate, begins, polled) = (GateTransport(), OneTime<Void>(), OneTime<String>())
    let agent = agent(gate) { agent in
      try? await begins.wait()
      polled.set((try? await agent.send(Poll())) ?? "failed")
    }
    agent.maxRequestsPerOrigin = 0
    let token = { (count: Int, name: String) in
      await gate.waitForStarts(count)
      gate.answer("/token", HTTPResponse(body: Data(name.utf8)))
    }
    let first = agent.start(Poll(path: "first"))
    await token(1, "t1")
    await gate.waitForStarts(2)
    gate.answer("/first", HTTPResponse(status: 401))
    await gate.waitForStarts(3)
    #expect(gate.starts.last == "a.example/token")

    begins.set(())
    await until { agent.liveCount == 3 }
    gate.answer("/token", HTTPResponse(body: Data("t2".utf8)))
    await gate.waitForStarts(5)
    gate.open()
    _ = try await first.value
    #expect(try await polled.wait() == "")
  }
}
