import Foundation
import Testing

@testable import Errand

@Suite("Conditions for sharing a transfer")
struct CoalescingKeyTests {
  static let headers: HTTPHeaders = ["Accept": "a", "Accept-Language": "de", "X-Trace": "1"]

  private func key(
    _ url: String = "http://a/b?c", _ method: HTTPMethod = .get, _ headers: HTTPHeaders = Self.headers,
    body: RequestBody = .none, identity: CoalescingKey.Identity? = nil,
    _ policy: CoalescingPolicy = .whileInFlight,
    timeout: Duration = .seconds(60), limits: TransferLimits = TransferLimits(),
    substitute: (any Transport)? = nil
  ) throws -> CoalescingKey? {
    let request = HTTPRequest(
      url: try #require(URL(string: url)), method: method, headers: headers, body: body)
    return CoalescingKey(
      request, identity: identity, policy: policy, timeout: timeout, limits: limits, substitute: substitute)
  }

  @Test("Only GET, HEAD and OPTIONS with a body in memory or none are shared, if the policy allows")
  func none() throws {
    for method: HTTPMethod in [.get, .head, .options] { #expect(try key("http://a", method) != nil) }
    for method: HTTPMethod in [.post, .put, .patch, .delete, .init("TRACE")] {
      #expect(try key("http://a", method) == nil)
    }
    #expect(try key(body: .stream { AsyncStream { $0.finish() } }) == nil)
    #expect(try key(.none) == nil)
  }

  @Test("Each part of the key distinguishes requests")
  func parts() throws {
    let other = FunctionTransport()
    var limits = TransferLimits()
    limits.bodySize = 1
    let keys = [
      try key(), try key("http://a/b?C"), try key("http://a/b?c", .head), try key(body: .text("x")),
      try key(body: .text("y")), try key(identity: Self.identity(Bool.self)),
      try key(identity: Self.identity(Int.self)), try key(timeout: .seconds(1)),
      try key(limits: limits),
      try key("http://a/b?c", .get, ["Accept": "a"]), try key(substitute: other),
      try key(substitute: FunctionTransport()), try key("http://a/b?c", .get, ["Accept": "b"]),
      try key("http://a/b?c", .get, ["Range": "bytes=0-1"]),
    ]
    withExtendedLifetime(other) { #expect(Set(keys).count == keys.count) }
  }

  @Test("The order and case of names do not count, and the order of a name's values does")
  func order() throws {
    let turned = HTTPHeaders(
      Self.headers.fields.reversed().map { .init(name: $0.name.uppercased(), value: $0.value) })
    #expect(try key("http://a/b?c", .get, turned) == key())
    #expect(
      try key("http://a", .get, ["A": "1", "B": "", "A": "2"])
        == key("http://a", .get, ["B": "", "A": "1", "a": "2"]))
    #expect(try key("http://a", .get, ["A": "1", "A": "2"]) != key("http://a", .get, ["A": "2", "A": "1"]))
  }

  @Test("Headers made per attempt, and headers named by the policy, do not count")
  func ignored() throws {
    var headers = Self.headers
    for name in ["Date", "Idempotency-Key", "X-Request-ID", "traceparent", "tracestate"] {
      headers.add(name, "x")
    }
    #expect(try key("http://a/b?c", .get, headers) == key())
    headers["X-Trace"] = "2"
    #expect(try key("http://a/b?c", .get, headers) != key())
    let policy = CoalescingPolicy.whileInFlight(ignoring: "x-TRACE")
    #expect(try key("http://a/b?c", .get, headers, policy) == key(policy))
    #expect("\(policy)" == "while in flight, ignoring x-trace")
  }

  @Test(
    "A policy that counts a header and a policy that ignores the header never share, even if the header is absent"
  )
  func promise() throws {
    let policy = CoalescingPolicy.whileInFlight(ignoring: "X-Other")
    #expect(try key(policy) != key())
    #expect(try key(policy) == key(.whileInFlight(ignoring: "x-other")))
    #expect(try key(policy) != key(.whileInFlight(ignoring: "x-other", "x-trace")))
  }

  private static func identity(_ type: any Any.Type) -> CoalescingKey.Identity {
    CoalescingKey.Identity(authenticator: ObjectIdentifier(type), name: "u")
  }

  @Test("A transport that is a value type has no identity, and shares nothing")
  func values() throws {
    struct Value: Transport {
      var capabilities: TransportCapabilities { TransportCapabilities() }
      func send(_ request: TransportRequest) async throws -> TransportResponse { .ok }
    }
    #expect(try key(substitute: Value()) == nil)
  }

  private func key(_ policy: CoalescingPolicy) throws -> CoalescingKey? {
    try key("http://a/b?c", .get, Self.headers, policy)
  }
}
