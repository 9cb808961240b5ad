import Foundation
import Testing

@testable import Errand

@Suite("The follower of redirects in isolation")
struct RedirectFollowerTests {
  private struct Hook: RequestHooks {
    let recorder: Recorder
    let name: String
    var decision = RedirectPolicy.Decision.follow
    var target: String?

    func redirectDecision(
      to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
    ) async throws -> RedirectPolicy.Decision {
      recorder.add("\(name) \(request.method) \(request.url)")
      if let target { request.url = URL(string: target) ?? request.url }
      return decision
    }
  }

  private let recorder = Recorder()
  private let context = RequestContext(
    dispatched: .init(
      id: 1, request: OneOffRequest.get("x"), tools: RequestContext.Tools()),
    attempt: 1)

  private func request(
    _ url: String, _ method: HTTPMethod = .get, _ headers: HTTPHeaders = [:]
  ) throws -> HTTPRequest {
    HTTPRequest(url: try #require(URL(string: url)), method: method, headers: headers)
  }

  private func follower(from built: HTTPRequest, limit: Int = 10) -> RedirectFollower {
    RedirectFollower(RedirectRules(limit: limit, redaction: .standard), from: built)
  }

  private func next(
    _ follower: inout RedirectFollower, _ sent: HTTPRequest, _ status: HTTPResponse.Status,
    _ location: String,
    _ hooks: [any RequestHooks] = []
  ) async throws -> RedirectFollower.Hop? {
    try await follower.next(
      after: HTTPResponse(status: status, headers: ["Location": location]), to: sent,
      of: OneOffRequest.get("x"), hooks: hooks, in: context
    ) {
      recorder.add("check")
    } prepare: {
      $0.headers.add("X-Prepared", "1")
    } complete: { next, proposed in
      recorder.add("complete \(proposed.url)")
      next.headers.add("X-Complete", "1")
    }
  }

  @Test("A hop starts with the request before its hooks, and is prepared, decided and completed")
  func order() async throws {
    let built = try request("http://a/1", .post, ["Accept": "x"])
    var sent = built
    sent.headers.add("X-Signed", "by a hook")
    var follower = follower(from: built)
    let hooks = [Hook(recorder: recorder, name: "first"), Hook(recorder: recorder, name: "second")]
    let hop = try #require(try await next(&follower, sent, 303, "/2", hooks))
    #expect(hop.request.method == .get && hop.request.url.absoluteString == "http://a/2")
    #expect(hop.request.headers == ["Accept": "x", "X-Prepared": "1", "X-Complete": "1"])
    #expect(!hop.leavesOrigin && hop.leftBehind == [] && hop.status == 303)
    #expect(
      recorder.events == [
        "check", "first GET http://a/2", "check", "second GET http://a/2", "check", "complete http://a/2",
      ])
  }

  @Test("The first hook that stops a redirect is the last to run, and nothing is remembered")
  func stopped() async throws {
    let built = try request("http://a/1")
    var follower = follower(from: built, limit: 1)
    let hooks = [
      Hook(recorder: recorder, name: "stops", decision: .stop), Hook(recorder: recorder, name: "never"),
    ]
    #expect(try await next(&follower, built, 302, "/2", hooks) == nil)
    #expect(recorder.events == ["check", "stops GET http://a/2", "check"])
    #expect(try await next(&follower, built, 200, "/2") == nil)
    #expect(try await next(&follower, built, 302, "/2") != nil)
  }

  @Test("Another origin gets harmless fields only, also if a hook chose the origin")
  func elsewhere() async throws {
    let built = try request("http://a/1", .get, ["Accept": "x", "X-Key": "k", "Authorization": "b"])
    var direct = follower(from: built)
    let hop = try #require(try await next(&direct, built, 302, "http://b/"))
    #expect(hop.leavesOrigin && hop.leftBehind == ["X-Key", "Authorization"])
    #expect(hop.request.headers == ["Accept": "x", "X-Prepared": "1", "X-Complete": "1"])

    var chosen = follower(from: built)
    let hook = Hook(recorder: recorder, name: "hook", target: "http://c/")
    let other = try #require(try await next(&chosen, built, 302, "/2", [hook]))
    #expect(other.leavesOrigin && other.request.headers == ["Accept": "x", "X-Complete": "1"])
  }

  @Test("The limit counts all hops, and repeated URLs are named")
  func refused() async throws {
    let built = try request("http://a/1")
    var follower = follower(from: built, limit: 2)
    let second = try #require(try await next(&follower, built, 302, "/2")).request
    let again = try #require(try await next(&follower, second, 302, "/1")).request
    let surplus = try await #require(throws: Refusal.self) { try await next(&follower, again, 302, "/4") }
    #expect(
      surplus.message
        == #"2 redirects were followed, and the server sent another; the redirects repeat "http://a/1""#)
    #expect(surplus.kind == .redirect)
    let circle = try await #require(throws: Refusal.self) { try await next(&follower, again, 302, "/2") }
    #expect(circle.message == surplus.message + #", "http://a/2""#)
  }
}
