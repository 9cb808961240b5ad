import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("Sharing of a refresh", .timeLimit(.minutes(5)))
struct RefreshSharingTests {
  final class Broken: Error {}

  struct Gate: Sendable {
    let begun = OneTime<Bool>()
    let open = OneTime<Bool>()

    func pass() async throws {
      begun.set(true)
      _ = try await open.wait()
    }
  }

  /// Holds its refusals until `count` requests are refused.
  private func service(_ count: Int, _ gate: Gate? = nil) -> TokenService {
    TokenService(refusals: count) { request, service in
      guard request.url.path == "/token" else { return nil }
      try await gate?.pass()
      return nil
    }
  }

  @Test("100 concurrent refusals cause one refresh and 100 successes")
  func hundred() async throws {
    let service = service(100)
    let agent = service.agent(BearerAuthenticator.renewing())
    let values = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await agent.send(GetUsers()) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(values == Array(repeating: "ok", count: 100))
    let counts = Dictionary(grouping: service.lines) { $0 }.mapValues(\.count)
    #expect(counts == ["GET /users t0": 100, "POST /token -": 1, "GET /users t1": 100])
    #expect(agent.liveCount == 0)
  }

  @Test("100 requests to a server cause one refresh, for any timing of the refusals")
  func served() async throws {
    let server = try MockServer()
    defer { server.stop() }
    server.route(.post, "/token", answers: .text("t1"))
    server.route(.get, "/users") { request in
      request.headers["Authorization"] == "Bearer t1" ? .text("ok") : .status(401)
    }
    var configuration = AgentConfiguration()
    configuration.authenticator = BearerAuthenticator.renewing()
    let agent = RequestAgent(baseURL: server.baseURL, configuration: configuration)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await agent.send(GetUsers()) } }
      for try await value in group { #expect(value == "ok") }
    }
    #expect(server.requestCount(.post, "/token") == 1)
    #expect((101...200).contains(server.requestCount(.get, "/users")))
  }

  @Test("A failed refresh causes 100 failures with the same cause, and no further request")
  func failing() async throws {
    let (service, broken, refreshes) = (service(100), Broken(), Locked(0))
    let authenticator = BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "t0")) { _, context in
      refreshes.withLock { $0 += 1 }
      _ = try await context.send(RenewToken())
      throw broken
    }
    let agent = service.agent(authenticator)
    let errors = await withTaskGroup(of: RequestError?.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await #expect(throws: RequestError.self) {
            try await agent.send(GetUsers(retryPolicy: .upTo(3).when { _ in true }))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(errors.count == 100)
    #expect(errors.allSatisfy { $0?.cause as? Broken === broken && $0?.stage == .authenticate })
    let counts = Dictionary(grouping: service.lines) { $0 }.mapValues(\.count)
    #expect(counts == ["GET /users t0": 100, "POST /token -": 1])
    #expect(refreshes.withLock { $0 } == 1)
  }

  @Test("After a failed refresh the next request refreshes first, and never sends the refused token")
  func afterFailure() async throws {
    let isBroken = Locked(true)
    let service = TokenService()
    let authenticator = BearerAuthenticator(BearerAuthenticator.Credential(accessToken: "t0")) { _, context in
      if isBroken.withLock({ $0 }) { throw Broken() }
      return BearerAuthenticator.Credential(accessToken: try await context.send(RenewToken()))
    }
    let agent = service.agent(authenticator)
    for _ in 0..<2 { await #expect(throws: RequestError.self) { try await agent.send(GetUsers()) } }
    #expect(service.lines == ["GET /users t0"])
    isBroken.withLock { $0 = false }
    #expect(try await agent.send(GetUsers()) == "ok")
    #expect(service.lines == ["GET /users t0", "POST /token -", "GET /users t1"])
  }

  @Test("A cancelled waiter leaves, and the other 99 succeed", arguments: [0, 57])
  func oneCancelled(_ index: Int) async throws {
    let gate = Gate()
    let service = service(100, gate)
    let agent = service.agent(BearerAuthenticator.renewing())
    let handles = (0..<100).map { _ in agent.start(GetUsers()) }
    _ = try await gate.begun.wait()
    handles[index].cancel()
    let error = try await #require(throws: RequestError.self) { try await handles[index].value }
    #expect(error.kind == .cancelled)
    gate.open.set(true)
    for (number, handle) in handles.enumerated() where number != index {
      #expect(try await handle.value == "ok")
    }
    #expect(service.lines.filter { $0 == "POST /token -" }.count == 1)
    #expect(service.lines.filter { $0 == "GET /users t1" }.count == 99)
  }

  @Test("The refresh continues after the last waiter has left, and its token is used")
  func lastLeaves() async throws {
    let gate = Gate()
    let service = service(2, gate)
    let agent = service.agent(BearerAuthenticator.renewing())
    let handles = (0..<2).map { _ in agent.start(GetUsers()) }
    _ = try await gate.begun.wait()
    for handle in handles { handle.cancel() }
    for handle in handles { await #expect(throws: RequestError.self) { try await handle.value } }
    let late = agent.start(GetUsers())
    gate.open.set(true)
    #expect(try await late.value == "ok")
    #expect(service.lines == ["GET /users t0", "GET /users t0", "POST /token -", "GET /users t1"])
  }

  @Test(
    "A waiter leaves at its deadline, before sending and after a refusal",
    arguments: [nil, "t0"])
  func deadline(_ token: String?) async throws {
    let (clock, gate) = (TestClock(), Gate())
    let authenticator = BearerAuthenticator(
      token.map { BearerAuthenticator.Credential(accessToken: $0) }, refreshTimeout: nil
    ) { _, _ in
      try await gate.pass()
      return BearerAuthenticator.Credential(accessToken: "t1")
    }
    let service = TokenService()
    let agent = service.agent(authenticator, clock: AgentClock(clock))
    let handle = agent.start(GetUsers().with(\.deadline, .seconds(5)))
    _ = try await gate.begun.wait()
    let patient = agent.start(GetUsers())
    // The sleeper is the deadline of the attempt, or of the renewal if the service refused a token.
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(
      error.kind == .deadlineExceeded && error.reason == "the dispatch took longer than its deadline, 5 s")
    gate.open.set(true)
    #expect(try await patient.value == "ok")
  }

  @Test(
    "The timeout of an attempt includes the wait for a refresh, and a retry waits again"
  )
  func attemptTimeout() async throws {
    let (clock, gate, asked) = (TestClock(), Gate(), Locked(0))
    let authenticator = BearerAuthenticator(nil, refreshTimeout: nil) { _, _ in
      try await gate.pass()
      return BearerAuthenticator.Credential(accessToken: "t1")
    }
    let service = TokenService()
    var limits = TransferLimits()
    limits.attemptTimeout = .seconds(5)
    let agent = service.agent(
      CountedAuthenticator(inner: authenticator, asked: asked), clock: AgentClock(clock))
    let request = GetUsers(retryPolicy: .upTo(1, backoff: .constant(.zero))).with(\.limits, limits)
    let handle = agent.start(request)
    for attempt in 1...2 {
      // The timeout of an attempt starts before authentication.
      await until { asked.withLock { $0 } == attempt }
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(5))
    }
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.kind == .timedOut && error.stage == .authenticate && error.attempts == 2)
    #expect(error.reason == "the attempt took longer than limits.attemptTimeout, 5 s")
    gate.open.set(true)
    #expect(try await agent.send(GetUsers()) == "ok")
    #expect(service.lines == ["GET /users t1"])
  }

  @Test("A refresh that never returns fails all waiters at its timeout")
  func timeout() async throws {
    let (clock, gate) = (TestClock(), Gate())
    let authenticator = BearerAuthenticator(nil, refreshTimeout: .seconds(9)) { _, _ in
      // Ignores cancellation.
      await Task { try? await gate.pass() }.value
      return BearerAuthenticator.Credential(accessToken: "late")
    }
    let service = TokenService()
    let agent = service.agent(authenticator, clock: AgentClock(clock))
    let handle = agent.start(GetUsers())
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(9))
    let error = try await #require(throws: RequestError.self) { try await handle.value }
    #expect(error.reason == "the credentials could not be renewed: the renewal took longer than 9 s")
    #expect(error.kind == .authentication && error.stage == .authenticate)
    gate.open.set(true)
    #expect(authenticator.credential == nil && service.lines == [])
  }

  @Test("A refresh that ends in time leaves no timer")
  func inTime() async throws {
    let clock = TestClock()
    let authenticator = BearerAuthenticator(nil, refreshTimeout: .seconds(9)) { _, _ in
      BearerAuthenticator.Credential(accessToken: "t1")
    }
    let service = TokenService()
    service.accept("t1")
    let agent = service.agent(authenticator, clock: AgentClock(clock))
    #expect(try await agent.send(GetUsers()) == "ok")
    await until { clock.sleeperCount == 0 }
  }

  @Test("A refresh past its timeout is cancelled")
  func cancelledAtTimeout() async throws {
    let (clock, ended) = (TestClock(), OneTime<Bool>())
    let authenticator = BearerAuthenticator(nil, refreshTimeout: .seconds(9)) { _, _ in
      do { _ = try await OneTime<Void>().wait() } catch {
        ended.set(Task.isCancelled)
        throw error
      }
      return BearerAuthenticator.Credential(accessToken: "never")
    }
    let agent = TokenService().agent(authenticator, clock: AgentClock(clock))
    let handle = agent.start(GetUsers())
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(9))
    #expect(try await ended.wait())
    await #expect(throws: RequestError.self) { try await handle.value }
  }

  @Test("A credential set during a refresh wins, and the refresh's credential is dropped")
  func superseded() async throws {
    let gate = Gate()
    let service = service(1, gate)
    let authenticator = BearerAuthenticator.renewing()
    let agent = service.agent(authenticator)
    service.accept("signed-in")
    let handle = agent.start(GetUsers())
    _ = try await gate.begun.wait()
    authenticator.credential = BearerAuthenticator.Credential(accessToken: "signed-in")
    #expect(try await handle.value == "ok")
    service.accept("t9")
    gate.open.set(true)
    #expect(service.lines == ["GET /users t0", "POST /token -", "GET /users signed-in"])
    #expect(authenticator.credential?.accessToken == "signed-in")
  }

  @Test("In a storm of cancellations every request has one outcome, and refreshes never overlap")
  func storm() async throws {
    let (running, most) = (Locked(0), Locked(0))
    let authenticator = BearerAuthenticator(nil, leeway: .zero, refreshWindow: nil) { _, context in
      let count = running.withLock { count in
        count += 1
        return count
      }
      most.withLock { $0 = max($0, count) }
      for _ in 0..<50 { await Task.yield() }
      running.withLock { $0 -= 1 }
      // Only the requests that waited for this expired credential may use the credential.
      return BearerAuthenticator.Credential(accessToken: "t1", expires: .distantPast)
    }
    let agent = TokenService().agent(authenticator)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20 {
      let handles = (0..<100).map { _ in agent.start(GetUsers()) }
      for handle in handles where random.below(3) > 0 { handle.cancel() }
      for handle in handles {
        do { #expect(try await handle.value == "ok") } catch let error as RequestError {
          #expect(error.kind == .cancelled)
        }
      }
    }
    #expect(most.withLock { $0 } == 1)
    #expect(agent.liveCount == 0)
  }
}

private struct CountedAuthenticator: Authenticator {
  let inner: BearerAuthenticator
  let asked: Locked<Int>

  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    asked.withLock { $0 += 1 }
    try await inner.authenticate(&request, context: context)
  }
}
