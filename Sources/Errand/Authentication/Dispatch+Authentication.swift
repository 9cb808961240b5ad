import Foundation

extension Dispatch {
  /// Lets the authenticator sign the request, and judges what it made of it; leaves one to an origin
  /// that may not have credentials alone.
  func authenticate(
    _ http: inout HTTPRequest, by authenticator: any Authenticator, _ attempt: inout Attempt,
    _ context: RequestContext, isExplanation: Bool = false
  ) async throws {
    (attempt.isSigned, attempt.identified) = (false, nil)
    guard !URLParts.isData(http.url.absoluteString) else { return }
    guard isTrusted(http.url, attempt, context) else { return attempt.withhold("\(type(of: authenticator))") }
    attempt.stage = .authenticate
    let (unsigned, begun, identity) = (http, now, coalescing == .none ? nil : Locked(String?.none))
    defer { attempt.authenticationWait += now - begun }
    do {
      try await authenticator.authenticate(
        &http,
        context: AuthenticationContext(
          dispatch: context, agent: agent, cancellation: attempt.watch?.signal ?? cancellation,
          isExplanation: isExplanation, identity: identity))
    } catch {
      throw AuthenticationFailure(authenticator, threw: error)
    }
    try check(attempt.watch)
    try RequestBuilder(agent: agent, context: context, substitute: substitute).finish(&http, built: unsigned)
    context.dispatched.note(http)
    (attempt.isSigned, attempt.signedURL) = (true, http.url)
    if let identity = identity?.withLock({ $0 }) {
      attempt.identified = IdentifiedRequest(unsigned, by: type(of: authenticator), identity)
    }
  }

  /// Whether credentials may go there: to an origin that code names, and a redirect takes them nowhere but back to the
  /// origin they were for.
  private func isTrusted(_ url: URL, _ attempt: Attempt, _ context: RequestContext) -> Bool {
    if attempt.redirects.isEmpty { return agent.trustedOrigins.contain(url, of: request) }
    guard !context.hasLeftOrigin else { return false }
    return attempt.signedURL.map { Origin.same($0, url) } ?? false
  }

  /// What follows a failed attempt of a request with an authenticator, which is asked before the retry policy.
  func retry(
    after error: inout RequestError, of attempt: inout Attempt, by authenticator: any Authenticator,
    _ ledger: inout Ledger
  ) async -> RetryVerdict {
    // Whoever waited for credentials in vain fails once: another attempt would ask for them again.
    if error.stage == .authenticate, !error.isTimeout { return .stands("there were no credentials to send") }
    if attempt.isSigned, !ledger.isRenewed, !isCancelled, !isPastDeadline() {
      do {
        if try await renew(after: error, &attempt, by: authenticator, &ledger) {
          return retryOfRenewed(attempt, &error)
        }
      } catch let thrown {
        if isCancelled { return .cancelled }
        attempt.stage = .authenticate
        error = requestError(thrown, attempt)
        return .stands("there are no other credentials")
      }
    }
    return await retry(after: &error, &attempt, &ledger)
  }

  /// Asks the authenticator, no longer than until the deadline, whether there are other credentials now.
  private func renew(
    after error: RequestError, _ attempt: inout Attempt, by authenticator: any Authenticator,
    _ ledger: inout Ledger
  ) async throws -> Bool {
    let (begun, stage, watch) = (now, ledger.stage, deadlineWatch())
    defer {
      watch?.stop()
      attempt.authenticationWait += now - begun
    }
    ledger.stage = .authenticate
    do {
      ledger.isRenewed = try await authenticator.renew(
        after: error,
        context: AuthenticationContext(
          dispatch: context(attempt: ledger.attempt), agent: agent,
          cancellation: watch?.signal ?? cancellation,
          isExplanation: false, identity: nil))
    } catch {
      throw watch?.expiry ?? AuthenticationFailure(authenticator, threw: error)
    }
    if let expiry = watch?.expiry { throw expiry }
    ledger.stage = stage
    return ledger.isRenewed
  }

  private func retryOfRenewed(_ attempt: Attempt, _ error: inout RequestError) -> RetryVerdict {
    guard !isCancelled else { return .cancelled }
    guard attempt.first?.isReplayable != false else {
      error.reason +=
        "; there are other credentials now, but the body can be produced only once and is not sent again"
      return .bodyIsGone
    }
    return .follows(AttemptReport.Retry(wait: .zero, source: .authenticator))
  }
}
