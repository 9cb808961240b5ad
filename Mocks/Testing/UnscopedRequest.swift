package import Errand
import ErrandMocks
import Foundation
import Testing

struct UnscopedRequest {
  /// The agent's running scopes; if no scope runs, the agent's scope that ended last.
  private let candidates: [MockScope]
  /// The names of other running mocked tests; a detached task of such a test may have sent the request.
  private let others: [String]
  private let isLate: Bool

  init(among scopes: [MockScope]) {
    let running = scopes.filter(\.isRunning)
    isLate = running.isEmpty
    let ended = scopes.max { ($0.endNumber ?? 0) < ($1.endNumber ?? 0) }
    let candidates = isLate ? [ended].compactMap(\.self) : running.sorted { $0.owner.name < $1.owner.name }
    self.candidates = candidates
    others = (candidates.first?.running.names ?? []).filter { name in
      !candidates.contains { $0.owner.name == name }
    }
  }

  var message: String {
    // Cases of a parameterized test have the same name.
    let tests = candidates.map(\.owner.name).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
    let problem =
      "no test is known for the request: the request was sent outside of every test's task, by an agent that"
      + " \(isLate ? "was" : "is") mocked in \(Self.listed(tests))\(isLate ? ", which has ended" : "")"
    let rest =
      others.isEmpty
      ? "" : "; a detached task of another running test may have sent the request: \(Self.listed(others))"
    return isLate
      ? "\(problem)\(rest); await or cancel all tasks that a test starts"
      : "\(problem)\(rest); send the request in a child task, in MockScope.run, or with an agent whose transport is the MockScope"
  }

  private static func listed(_ names: [String]) -> String {
    (names.prefix(3) + (names.count > 3 ? ["\(names.count - 3) more"] : [])).joined(separator: ", ")
  }

  func report(_ line: String) {
    guard let first = candidates.first else { return }
    let text = "\(line) was refused: \(message)"
    guard candidates.count == 1, others.isEmpty else { return first.owner.record(text) }
    first.running.innermost(within: first).report(text, refusal: message)
  }
}

struct UnscopedTransport: Transport {
  let scopes: [MockScope]

  var capabilities: TransportCapabilities { MockTransport.standardCapabilities }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let unscoped = UnscopedRequest(among: scopes)
    unscoped.report(request.line)
    throw TransportError(.outsideMockScope, unscoped.message)
  }
}

extension MockScope {
  /// Returns a transport that refuses requests.
  ///
  /// Returns `nil` in a test's task, and if `own` is a scope or a mock with answers.
  package func transport(
    forStrayAmong scopes: [any TransportScope], inPlaceOf own: any Transport
  ) -> (any Transport)? {
    guard Test.current == nil, !(own is MockScope), (own as? MockTransport)?.canAnswer != true else {
      return nil
    }
    return UnscopedTransport(scopes: scopes.compactMap { $0 as? MockScope })
  }

  func lateRefusal(of request: TransportRequest) -> TransportError {
    let message =
      "the test of the request, \(owner.name), has ended; await or cancel all tasks that a test starts"
    report("\(request.line) was refused: \(message)")
    return TransportError(.outsideMockScope, message)
  }
}

extension TransportRequest {
  var line: String {
    "\(request.method) \(Redaction.standard.hidingCredentials(of: request).url(request.url))"
  }

  /// Returns the request with a streamed body in memory, and computed trailers replaced by the values.
  func keepingBody() async throws -> TransportRequest {
    let trailed = request.trailers.isComputed ? TransportRequest.TrailedBody(request) : nil
    let (stream, length): (BodyStream, Int64?)
    if let trailed {
      (stream, length) = (trailed.stream, trailed.length)
    } else {
      guard case .stream(let own, let ownLength) = request.body.content else { return self }
      (stream, length) = (own, ownLength)
    }
    var copy = self
    let bytes = try await cancellation.cancelling { try await stream.drained(length: length) }
    if case .stream = request.body.content { copy.request.body = .data(bytes) }
    if let trailed { copy.request.trailers = RequestTrailers(trailed.trailers ?? [:]) }
    return copy
  }
}
