public import Errand
import Foundation

/// A rule for forwarding requests of a ``MockTransport`` or a ``MockServer`` to a transport.
///
///     let passing = PassThrough(hosts: ["cdn.example.com", .suffix(".images.example.com")])
///     let transport = MockTransport([Stub(.get, "/me", answers: .json(#"{"id":7}"#))], passing: passing)
public struct PassThrough: Sendable {
  let transport: any Transport
  private let hosts: TextPattern
  private let ignored: [RequestPattern]

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - transport: the transport for forwarded requests; the platform's transport by default.
  ///   - hosts: the hosts to which unanswered requests are forwarded; any host by default. The host of a
  ///     request is compared in lower case, without a port.
  ///   - ignored: URLs and paths, in the syntax of a ``Stub``. A path applies only to `hosts`. A request to
  ///     such a URL or path is forwarded even if a stub matches, and is not recorded. A `MockServer` forwards
  ///     only requests to other servers.
  public init(
    to transport: (any Transport)? = nil, hosts: TextPattern = .any, ignoring ignored: [String] = []
  ) {
    self.transport = transport ?? DefaultTransport.make()
    self.hosts = hosts
    self.ignored = ignored.map { RequestPattern(nil, url: $0) }
  }

  func ignores(_ request: HTTPRequest) -> Bool {
    guard !ignored.isEmpty else { return false }
    var place = RequestTarget(request.url.absoluteString)
    let isListed = hosts.matches((request.url.host ?? "").lowercased())
    return ignored.contains { ($0.hasOrigin || isListed) && $0.matches(request.method, at: &place) }
  }

  /// Creates a rule for a single host.
  public init(to transport: (any Transport)? = nil, hosts host: String, ignoring ignored: [String] = []) {
    self.init(to: transport, hosts: .equal(host), ignoring: ignored)
  }

  /// Returns the reason not to forward a request, as a clause; `nil`: the host matches.
  func refusal(of request: HTTPRequest) -> String? {
    let host = (request.url.host ?? "").lowercased()
    guard !hosts.matches(host) else { return nil }
    let shown = MessageText.standard
    return
      "the request is not forwarded, because its host \(shown.difference(of: [host], from: hosts, named: ""))"
  }
}
