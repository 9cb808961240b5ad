import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("How often credentials are renewed")
struct RefreshWindowTests {
  /// Refreshes fail or return expired tokens.
  private func agent(
    _ window: BearerAuthenticator.RefreshWindow? = .standard, failing: Bool = false
  ) -> (agent: RequestAgent, clock: TestClock, recorder: Recorder, authenticator: BearerAuthenticator) {
    let (clock, recorder) = (TestClock(), Recorder())
    let authenticator = BearerAuthenticator(nil, refreshWindow: window) { _, context in
      recorder.add("refresh")
      if failing { throw ProbeError(stage: "token") }
      return BearerAuthenticator.Credential(accessToken: "t0", refreshToken: "r", expires: context.date)
    }
    return (
      TokenService().agent(authenticator, clock: AgentClock(clock)), clock, recorder, authenticator
    )
  }

  @Test(
    "20 requests with tokens that expire on arrival cause five refreshes, then an error that says so")
  func ended() async throws {
    let (agent, clock, recorder, _) = agent()
    var errors: [String] = []
    for _ in 0..<20 {
      let error = try await #require(throws: RequestError.self) { try await agent.send(GetUsers()) }
      errors.append("\(error.kind): \(error.reason)")
    }
    let told =
      "authentication: the credentials were renewed 5 times within 30 s, but the new credentials are refused or expired"
    #expect(errors.suffix(15) == Array(repeating: told, count: 15)[...])
    #expect(recorder.events == Array(repeating: "refresh", count: 5))

    await clock.advance(by: .seconds(29))
    await #expect(throws: RequestError.self) { try await agent.send(GetUsers()) }
    #expect(recorder.events.count == 5)
    await clock.advance(by: .seconds(1))
    await #expect(throws: RequestError.self) { try await agent.send(GetUsers()) }
    #expect(recorder.events.count > 5)
  }

  @Test("20 concurrent requests with tokens that expire on arrival stay within the window")
  func endedAtOnce() async throws {
    let (agent, _, recorder, _) = agent()
    let reasons = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          do {
            try await agent.send(GetUsers())
            return nil
          } catch {
            return (error as? RequestError)?.reason
          }
        }
      }
      return await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect((1...5).contains(recorder.events.count))
    // The service refuses the refresh's token, so the request asks for another refresh.
    let told =
      "the credentials were renewed 5 times within 30 s, but the new credentials are refused or expired"
    #expect(reasons.allSatisfy { $0 == told || $0?.hasPrefix("status 401") == true })
    // After five refreshes, later requests get no token.
    for _ in 0..<5 { _ = try? await agent.send(GetUsers()) }
    let error = try await #require(throws: RequestError.self) { try await agent.send(GetUsers()) }
    #expect(error.kind == .authentication && error.reason == told && recorder.events.count == 5)
  }

  @Test("A token with a lifetime below the leeway is used for half of its lifetime")
  func shortLife() async throws {
    let (clock, service) = (TestClock(), TokenService())
    let (agentClock, count) = (AgentClock(clock), Locked(0))
    service.accept("t0")
    let authenticator = BearerAuthenticator(nil) { _, context in
      count.withLock { $0 += 1 }
      return BearerAuthenticator.Credential(accessToken: "t0", expiresIn: .seconds(20), from: context.date)
    }
    let agent = service.agent(authenticator, clock: agentClock)
    var counts: [Int] = []
    for _ in 0..<7 {
      try await agent.send(GetUsers())
      counts.append(count.withLock { $0 })
      await clock.advance(by: .seconds(4))
    }
    // The refreshes happen at 0, 12 and 24 seconds.
    #expect(counts == [1, 1, 1, 2, 2, 2, 3])
    // For a credential set by the app, half of the lifetime counts only if the lifetime is known.
    let end = agentClock.date.addingTimeInterval(20)
    for (credential, expected) in [
      (
        BearerAuthenticator.Credential(
          accessToken: "t0", expiresIn: .seconds(20), from: agentClock.date), 3
      ),
      (BearerAuthenticator.Credential(accessToken: "t0", expires: end), 4),
    ] {
      authenticator.credential = credential
      try await agent.send(GetUsers())
      #expect(count.withLock { $0 } == expected)
    }
  }

  @Test("Failed refreshes count, and the last failure stays the cause")
  func failing() async throws {
    let (agent, _, recorder, authenticator) = agent(
      BearerAuthenticator.RefreshWindow(maximumRefreshes: 1, within: .seconds(5)), failing: true)
    for reason in [
      "the credentials could not be renewed: ",
      "the renewal of the credentials failed once within 5 s, most recently: ",
    ] {
      let error = try await #require(throws: RequestError.self) { try await agent.send(GetUsers()) }
      #expect(error.reason == "\(reason)ProbeError(stage: \"token\")")
      #expect(error.cause(as: ProbeError.self) == ProbeError(stage: "token"))
    }
    #expect(recorder.events == ["refresh"])
    authenticator.credential = nil
    await #expect(throws: RequestError.self) { try await agent.send(GetUsers()) }
    #expect(recorder.events == ["refresh", "refresh"])
  }

  @Test("A window of length 0 limits nothing, and a clock set back discards later entries")
  func bounds() {
    var begun: [Date] = []
    let date = Date(timeIntervalSince1970: 1000)
    for interval in [Duration.zero, .seconds(-5), .seconds(Int64.min)] {
      let window = BearerAuthenticator.RefreshWindow(maximumRefreshes: -3, within: interval)
      #expect(window.maximumRefreshes == 1)
      #expect(window.admits(date, begun: &begun) && window.admits(date, begun: &begun) && begun.isEmpty)
    }
    let window = BearerAuthenticator.RefreshWindow(maximumRefreshes: 1, within: .seconds(Int64.max))
    #expect(window.admits(date, begun: &begun) && !window.admits(date + 1, begun: &begun))
    #expect(window.admits(date - 1, begun: &begun))
    #expect(begun == [date - 1])
  }
}
