public import Errand
import Foundation

/// What a ``MockTransport`` hands on to another transport, which may be a real one.
///
///     let passing = PassThrough(hosts: ["cdn.example.com", .suffix(".images.example.com")])
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
  ///   - transport: answers what is handed on; the agent is told that it can do what this can. `nil`, the default, takes the
  ///     platform's.
  ///   - hosts: the hosts, in lower case and without a port, to which requests that no stub answers are handed on; by default any.
  ///     They are recorded like all others.
  ///   - ignored: the places, written as those of a ``Stub``, whose requests go on without being recorded, counted or shown to
  ///     any stub: `"https://stats.example.com/**"`, `"/health"`; none by default. A whole URL need not be of a listed host, a path
  ///     alone is ignored on those hosts only, so that nothing goes to one that is not named.
  public init(
    to transport: (any Transport)? = nil, hosts: TextPattern = .any, ignoring ignored: [String] = []
  ) {
    self.transport = transport ?? DefaultTransport.make()
    self.hosts = hosts
    self.ignored = ignored.map { RequestPattern(nil, url: $0) }
  }

  /// Whether the mock is to know nothing of a request.
  func ignores(_ request: HTTPRequest) -> Bool {
    guard !ignored.isEmpty else { return false }
    var place = RequestTarget(request.url.absoluteString)
    let isListed = hosts.matches((request.url.host ?? "").lowercased())
    return ignored.contains { ($0.hasOrigin || isListed) && $0.matches(request.method, at: &place) }
  }

  /// The same rule for one host.
  public init(to transport: (any Transport)? = nil, hosts host: String, ignoring ignored: [String] = []) {
    self.init(to: transport, hosts: .equal(host), ignoring: ignored)
  }

  /// Why a request that no stub answers is not handed on, as the end of a sentence; `nil` when it is.
  func refusal(of request: HTTPRequest) -> String? {
    let host = (request.url.host ?? "").lowercased()
    guard !hosts.matches(host) else { return nil }
    let shown = MessageText.standard
    return "it is not handed on, as its host \(shown.difference(of: [host], from: hosts, named: ""))"
  }
}
