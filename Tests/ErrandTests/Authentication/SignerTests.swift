import ErrandMocks
import Foundation
import Testing

@testable import Errand

@Suite("The signer, alone")
struct SignerTests {
  private struct Pen: Authenticator {
    var isRenewed = true
    var renewal: Duration = .zero

    func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
      request.headers["X-Signature"] = "\(context.isExplanation)"
      context.identify(as: "seven")
    }

    func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
      let sleep = context.sender.clock.sleep
      if renewal > .zero {
        try await context.cancellation.cancelling { [renewal] in try await sleep(renewal) }
      }
      return isRenewed
    }
  }

  private let clock = TestClock()
  private let agent: RequestAgent
  private let context: RequestContext

  init() {
    var configuration = AgentConfiguration()
    configuration.clock = AgentClock(clock)
    agent = RequestAgent(baseURL: "http://a.example", configuration: configuration)
    context = RequestContext(
      dispatched: .init(id: 1, request: OneOffRequest.get("x"), tools: agent.tools), attempt: 1)
  }

  private func limits(deadline: Duration? = nil) -> TimeLimits {
    TimeLimits(
      clock: agent.configuration.clock, started: .zero, deadline: deadline, attemptTimeout: nil,
      cancellation: CancellationSignal(), suspension: nil)
  }

  /// The URL, the URL of the previous signature, redirected or not, `hasLeftOrigin`, and the result.
  private static let table: [(String, String?, Bool, Bool, Bool)] = [
    ("http://a.example/x", nil, false, false, true), ("http://b.example/x", nil, false, false, false),
    ("http://a.example/x", "http://a.example/1", true, false, true),
    ("http://a.example/x", nil, true, false, false),
    ("http://b.example/x", "http://a.example/1", true, false, false),
    ("http://a.example/x", "http://a.example/1", true, true, false),
  ]

  @Test("Credentials go where code names the origin, and back where a redirect began", arguments: table)
  func maySign(_ row: (String, String?, Bool, Bool, Bool)) throws {
    var context = context
    context.hasLeftOrigin = row.3
    let signature = Signature(isOfLast: true, url: row.1.flatMap(URL.init))
    let may = agent.signer(Pen()).maySign(
      try #require(URL(string: row.0)), of: OneOffRequest.get("x"), after: signature, isRedirected: row.2,
      in: context)
    #expect(may == row.4)
  }

  @Test("A signature has the signed URL, and the identity on demand")
  func signs() async throws {
    let unsigned = HTTPRequest(url: try #require(URL(string: "http://a.example/x")))
    func sign(asksIdentity: Bool) async throws -> (HTTPRequest, Signature) {
      var (http, clock) = (unsigned, AttemptClock(started: .zero))
      let signature = try await agent.signer(Pen()).sign(
        &http, in: context, within: limits(), clock: &clock, asksIdentity: asksIdentity, round: 0,
        isExplanation: false
      ) { signed, before in
        signed.headers.add("X-Judged", "\(before.headers.fields.isEmpty)")
      }
      return (http, signature)
    }
    let (http, signature) = try await sign(asksIdentity: true)
    #expect(http.headers == ["X-Signature": "false", "X-Judged": "true"])
    #expect(signature.isOfLast && signature.url == unsigned.url)
    #expect(
      signature.identified?.unsigned.headers.fields.isEmpty == true
        && signature.identified?.identity?.name == "seven")
    #expect(try await sign(asksIdentity: false).1.identified == nil)
  }

  @Test("Judges of the signed request may refuse the request")
  func refused() async throws {
    var (http, clock) = (
      HTTPRequest(url: try #require(URL(string: "http://a.example"))), AttemptClock(started: .zero)
    )
    await #expect(throws: Refusal("no")) {
      _ = try await agent.signer(Pen()).sign(
        &http, in: context, within: limits(), clock: &clock, asksIdentity: false, round: 0,
        isExplanation: false
      ) { _, _ in throw Refusal("no") }
    }
  }

  @Test("The wait for a renewal ends at the deadline")
  func renews() async throws {
    let failure = RequestError(.status, "401")
    let signer = agent.signer(Pen(isRenewed: false))
    #expect(try await signer.renew(after: failure, round: 0, in: context, within: limits()) == false)
    let slow = agent.signer(Pen(renewal: .seconds(10)))
    let renewal = Task {
      try await slow.renew(after: failure, round: 0, in: context, within: limits(deadline: .seconds(4)))
    }
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(4))
    let refusal = try await #require(throws: Refusal.self) { try await renewal.value }
    #expect(refusal.kind == .deadlineExceeded)
  }
}
