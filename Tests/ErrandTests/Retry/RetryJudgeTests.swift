import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The judge of retries in isolation")
struct RetryJudgeTests {
  private let clock = TestClock()
  private let signal = CancellationSignal()
  private let recorder = Recorder()
  private let context = RequestContext(
    dispatched: .init(
      id: 1, request: OneOffRequest.get("x"), tools: RequestContext.Tools()),
    attempt: 1)

  private func judge(
    _ policy: RetryPolicy, deadline: Duration? = nil, budget: RetryBudget = .standard
  ) -> RetryJudge {
    let clock = AgentClock(clock)
    let rules = OriginRules(budget: budget, breaker: nil, limit: nil)
    return RetryJudge(
      policy: policy,
      origins: OriginGuard(states: OriginStates(rules, clock: clock, agentRetries: false)),
      time: TimeLimits(
        clock: clock, started: .zero, deadline: deadline, attemptTimeout: nil,
        cancellation: signal, suspension: nil)
    ) { [recorder] in
      recorder.add("drawn")
      return 0
    }
  }

  private func verdict(
    _ judge: RetryJudge, _ facts: RetryJudge.Facts = .init(retry: 1, method: .get),
    decide: (RetryVerdict) -> RetryVerdict = { $0 }
  ) async -> (RetryVerdict, String) {
    var error = RequestError(.status, "busy", response: HTTPResponse(status: 503))
    var jitter: Double?
    let verdict = await judge.verdict(on: &error, given: facts, jitter: &jitter, in: context) {
      _, suggested in
      recorder.add("asked")
      return decide(suggested)
    }
    return (verdict, error.reason)
  }

  private func follows(_ wait: Duration, _ source: AttemptReport.Retry.Source = .policy) -> RetryVerdict {
    .follows(AttemptReport.Retry(wait: wait, source: source))
  }

  @Test("The policy suggests, and the hooks decide")
  func decides() async {
    let judge = judge(.upTo(1, backoff: .constant(.seconds(2))))
    #expect(await verdict(judge) == (follows(.seconds(2)), "busy"))
    #expect(await verdict(judge) { _ in .stands("no") } == (.stands("no"), "busy"))
    let forced = follows(.seconds(-1), .hooks)
    #expect(await verdict(judge, .init(retry: 2, method: .get)) { _ in forced }.0 == follows(.zero, .hooks))
    #expect(recorder.events == ["drawn", "asked", "drawn", "asked", "drawn", "asked"])
  }

  @Test("A cancelled, timed out or mocked dispatch is not judged")
  func unasked() async {
    #expect(await verdict(judge(.upTo(1), deadline: .zero)).0 == .stands("the deadline has passed"))
    let fallback = RetryJudge.Facts(retry: 1, method: .get, isFallback: true)
    #expect(await verdict(judge(.upTo(1)), fallback).0 == .stands("the attempt used the mock fallback"))
    signal.cancel()
    #expect(await verdict(judge(.upTo(1))).0 == .cancelled)
    #expect(recorder.events == [])
  }

  @Test("A consumed body prevents every retry, also after other credentials")
  func gone() async {
    let judge = judge(.none)
    let facts = RetryJudge.Facts(retry: 1, method: .get, isReplayable: false)
    #expect(await verdict(judge, facts) { _ in follows(.zero, .request) } == (.bodyIsGone, "busy"))
    var error = RequestError(.status, "busy")
    #expect(judge.verdictOnRenewal(&error, given: facts) == .bodyIsGone)
    #expect(
      error.reason
        == "busy; new credentials are available, but the body can be produced only once, so the request is not sent again"
    )
    #expect(judge.verdictOnRenewal(&error, given: .init(retry: 9)) == follows(.zero, .authenticator))
  }

  @Test("A wait past the deadline is final, and the failure says so")
  func deadline() async {
    let judge = judge(.upTo(1, backoff: .constant(.seconds(5))), deadline: .seconds(5))
    #expect(
      await verdict(judge) == (
        .noTime, "busy; the wait of 5 s before another attempt would exceed the deadline of 5 s"
      ))
  }

  @Test("A retry uses the budget, a retry refused by prepare is refunded, and a forced retry uses none")
  func budget() async throws {
    let url = try #require(URL(string: "http://a.example"))
    let admission = Admission(OriginKey(origin: try #require(Origin(url))))
    let facts = RetryJudge.Facts(retry: 1, method: .get, admission: admission)
    let one = RetryBudget(ratio: 0, minimumPerSecond: 0.1, window: .seconds(10))
    let refusing = RetryPolicy.upTo(1, backoff: .constant()).preparing { _, _ in false }
    var judge = judge(refusing, budget: one)
    #expect(await verdict(judge, facts).0 == .stands("the retry policy's prepare refused"))
    judge = RetryJudge(
      policy: .upTo(1, backoff: .constant()), origins: judge.origins, time: judge.time, drawJitter: { 0 })
    #expect(await verdict(judge, facts) == (follows(.zero), "busy"))
    let spent =
      "busy; the request was not retried, because the retry budget of http://a.example is spent: "
      + "1 retries for 0 requests within 10 s"
    #expect(await verdict(judge, facts) == (.stands("the retry budget of the origin is spent"), spent))
    var beyond = facts
    beyond.retry = 2
    #expect(await verdict(judge, beyond) { _ in follows(.zero, .hooks) }.0 == follows(.zero, .hooks))
  }
}
