public import Errand
import Foundation

/// What a ``MockTransport`` hands on to another transport, which may be a real one.
///
///     let passing = PassThrough(to: CurlTransport(), hosts: ["cdn.example.com", .suffix(".images.example.com")])
///     let transport = MockTransport([Stub(.get, "/users/7", answers: .json(#"{"id":7}"#))], passing: passing)
///
/// Without one a mock hands on nothing: what no stub answers fails.
public struct PassThrough: Sendable {
  let transport: any Transport
  private let hosts: TextPattern
  private let ignored: [RequestPattern]

  /// Makes the rule.
  ///
  /// - Parameters:
  ///   - transport: answers what is handed on; the agent is told that it can do what this can.
  ///   - hosts: the hosts, in lower case, to which requests that no stub answers are handed on; by default any. They are
  ///     recorded like all others.
  ///   - ignored: the places, written as those of a ``Stub``, whose requests go on without being recorded, counted or shown to
  ///     any stub: `"https://stats.example.com/**"`, `"/health"`; none by default.
  public init(to transport: any Transport, hosts: TextPattern = .any, ignoring ignored: [String] = []) {
    self.transport = transport
    self.hosts = hosts
    self.ignored = ignored.map { RequestPattern(nil, $0) }
  }

  /// Whether the mock is to know nothing of a request.
  func ignores(_ request: HTTPRequest) -> Bool {
    guard !ignored.isEmpty else { return false }
    let place = RequestTarget(request.url.absoluteString)
    return ignored.contains { $0.matches(request.method, place) }
  }

  /// Whether a request that no stub answers is handed on.
  func takes(_ request: HTTPRequest) -> Bool { hosts.matches((request.url.host ?? "").lowercased()) }
}
