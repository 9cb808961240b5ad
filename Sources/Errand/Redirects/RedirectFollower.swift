import Foundation

/// Creates the request for each followed redirect of an attempt, and rejects forbidden redirects.
struct RedirectFollower: Sendable {
  struct Hop {
    /// The next request; the `filterRequest` hooks have not run yet.
    let request: HTTPRequest
    let status: HTTPResponse.Status
    let leavesOrigin: Bool
    /// The names of headers and trailers that the next request lacks after a change of origin.
    ///
    /// Fields that describe the body, and trailers lost with the body, are not listed.
    let leftBehind: [String]
    /// The fragment of the next URL, for reports and the response's URL; not sent.
    let fragment: String?
  }

  private let rules: RedirectRules
  private var built: HTTPRequest
  private var earlier: [URL] = []
  private var fragment: String?

  init(_ rules: RedirectRules, from built: HTTPRequest, fragment: String? = nil) {
    self.rules = rules
    self.built = built
    self.fragment = fragment
  }

  /// Returns the redirect to follow; `nil` if no redirect is followed.
  ///
  /// `prepare` runs before the hooks. `check` runs before each agent hook, and after the last hook.
  /// `complete` runs after the hooks if the redirect is followed.
  mutating func next(
    after head: HTTPResponse, to sent: HTTPRequest, of request: some Request, hooks: [any RequestHooks],
    in context: RequestContext, check: () throws -> Void,
    prepare: (_ next: inout HTTPRequest) throws -> Void,
    complete: (_ next: inout HTTPRequest, _ proposed: HTTPRequest) throws -> Void
  ) async throws -> Hop? {
    guard let target = rules.target(of: head, to: sent.url) else { return nil }
    var proposed = rules.next(after: head.status, built, sent: sent, to: target)
    try prepare(&proposed)
    var next = proposed
    let decision = try await decision(
      on: &next, after: head, of: request, hooks: hooks, in: context, check: check)
    guard decision == .follow else { return nil }
    // A `Location` without a fragment inherits the fragment of the previous URL (RFC 9110 section 10.2.2).
    let written = next.url == target ? RedirectRules.location(of: head) : next.url.absoluteString
    fragment = written.flatMap { URLParts.fragment(of: $0) } ?? fragment
    if !Origin.same(next.url, target), !Origin.same(next.url, sent.url) {
      rules.removeSensitiveHeaders(proposed.headers, in: &next.headers)
      if next.trailers.isIdentical(to: proposed.trailers) { rules.removeSensitiveTrailers(in: &next) }
    }
    try complete(&next, proposed)
    try rules.check(next, after: head.status, from: sent.url, visited: earlier + [built.url])
    let leavesOrigin = !Origin.same(sent.url, next.url)
    let leftBehind = leavesOrigin ? RedirectRules.leftBehind(of: built, by: next) : []
    earlier.append(built.url)
    built = next
    return Hop(
      request: next, status: head.status, leavesOrigin: leavesOrigin, leftBehind: leftBehind,
      fragment: fragment)
  }

  /// Reads and discards the body, so that the connection may be reused.
  ///
  /// A body of ``RequestError/bodyLimit`` bytes or more is cancelled; the result is then `false`.
  static func drain(_ body: BodyStream, unless signal: CancellationSignal) async -> Bool {
    let ending = signal.onCancel { body.cancel() }
    defer { signal.removeHandler(ending) }
    var rest = RequestError.bodyLimit
    var chunks = body.makeAsyncIterator()
    while rest > 0, let chunk = try? await chunks.next() { rest -= chunk.count }
    if rest > 0 { return true }
    body.cancel()
    return false
  }

  private func decision(
    on next: inout HTTPRequest, after head: HTTPResponse, of request: some Request, hooks: [any RequestHooks],
    in context: RequestContext, check: () throws -> Void
  ) async throws -> RedirectPolicy.Decision {
    do {
      var decision = try await request.redirectDecision(to: &next, from: head, context: context)
      for hook in hooks where decision == .follow {
        try check()
        decision = try await hook.redirectDecision(to: &next, from: head, context: context)
      }
      try check()
      return decision
    } catch {
      throw HookFailure(hook: "redirectDecision", cause: error)
    }
  }
}
