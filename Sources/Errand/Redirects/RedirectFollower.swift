import Foundation

/// Follows the redirects of one attempt: makes the request of each hop, and refuses what may not follow.
///
/// It remembers each request before its `filterRequest` hooks. What they did to an earlier hop is not carried to the next
/// one: they do it again, so that nothing is signed, compressed or appended twice.
struct RedirectFollower: Sendable {
  /// A redirect that is followed.
  struct Hop {
    /// What is sent next, before its `filterRequest` hooks.
    let request: HTTPRequest
    let status: HTTPResponse.Status
    /// Whether it goes to another origin than the request that was redirected.
    let leavesOrigin: Bool
    /// The names of the header fields that another origin may not have.
    let leftBehind: [String]
    /// What stands behind the `#` of its URL, which is not sent; `nil` for none.
    let fragment: String?
  }

  private let rules: RedirectRules
  /// The last request.
  private var built: HTTPRequest
  /// Where the requests before the last went.
  private var earlier: [URL] = []
  /// What stands behind the `#` of the URL so far.
  private var fragment: String?

  /// Begins with the request of the attempt, before its `filterRequest` hooks.
  ///
  /// - Parameter fragment: what stood behind the `#` of its URL.
  init(_ rules: RedirectRules, from built: HTTPRequest, fragment: String? = nil) {
    self.rules = rules
    self.built = built
    self.fragment = fragment
  }

  /// The next hop; `nil` when the answer is not followed.
  ///
  /// - Parameters:
  ///   - head: of the answer.
  ///   - sent: what was answered.
  ///   - hooks: may change or stop it, after those of the request.
  ///   - check: asked between hooks; throws when no more are to be asked.
  ///   - prepare: takes off what does not belong on the hop, before anyone is asked.
  ///   - complete: completes and judges it; gets it as it was before it was decided on, too.
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
    // A `Location` without one has that of the URL before it (RFC 9110 section 10.2.2).
    let written = next.url == target ? RedirectRules.location(of: head) : next.url.absoluteString
    fragment = written.flatMap { URLParts.fragment(of: $0) } ?? fragment
    if !Origin.same(next.url, target), !Origin.same(next.url, sent.url) {
      rules.leaveBehind(proposed.headers, in: &next.headers)
      if next.trailers.isIdentical(to: proposed.trailers) { rules.leaveTrailersBehind(in: &next) }
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

  /// Reads the body of a redirect, which is not used, so that its connection can be used again; gives a long one up, and says `false`.
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

  /// Asks the request, then the hooks; the first that stops it is the last that is asked.
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
