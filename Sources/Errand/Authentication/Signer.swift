import Foundation

/// Calls an authenticator to sign requests to origins with permission for credentials, and to renew refused
/// credentials.
struct Signer: Sendable {
  let authenticator: any Authenticator
  /// The sender of refresh requests.
  let sender: any RequestSender
  let trustedOrigins: TrustedOrigins

  /// The largest number of attempts granted to an authenticator.
  private static let roundLimit = 3

  /// The number of attempts granted to the authenticator in a dispatch.
  var maximumRounds: Int { min(max(authenticator.maximumRounds, 1), Self.roundLimit) }

  /// The name of the authenticator's type, reported if the origin may not receive credentials.
  var name: String { "\(type(of: authenticator))" }

  /// Returns true if credentials may go to the URL.
  ///
  /// Before a redirect, the origin must be trusted. After a redirect, the origin must be the one of the last
  /// signed request, and no earlier redirect may have left the origin.
  ///
  /// - Parameters:
  ///   - signed: The last signed request of the attempt.
  ///   - isRedirected: True after a redirect.
  func maySign(
    _ url: URL, of request: some Request, after signed: Signature, isRedirected: Bool,
    in context: RequestContext
  ) -> Bool {
    guard isRedirected else { return trustedOrigins.contain(url, of: request) }
    guard !context.hasLeftOrigin else { return false }
    return signed.url.map { Origin.same($0, url) } ?? false
  }

  /// Calls the authenticator to sign a request, and checks the result.
  ///
  /// - Parameters:
  ///   - judge: Completes the request, and throws if the request may not be sent. Also receives the
  ///     unsigned request.
  ///   - asksIdentity: True if the identity behind the credentials is needed.
  ///   - round: The number of granted attempts.
  ///   - isExplanation: True if nothing is sent.
  func sign(
    _ http: inout HTTPRequest, in context: RequestContext, within time: TimeLimits, clock: inout AttemptClock,
    asksIdentity: Bool, round: Int, isExplanation: Bool,
    judge: (_ signed: inout HTTPRequest, _ unsigned: HTTPRequest) throws -> Void
  ) async throws -> Signature {
    let (unsigned, begun, identity) = (http, time.now, asksIdentity ? Locked(String?.none) : nil)
    defer { clock.authenticationWait += time.now - begun }
    do {
      try await authenticator.authenticate(
        &http,
        context: Authentication.Context(
          dispatch: context, sender: sender, cancellation: time.signal(clock.watch),
          isExplanation: isExplanation, round: round, identity: identity))
    } catch {
      throw AuthenticationFailure(authenticator, threw: error)
    }
    try time.check(clock.watch)
    try judge(&http, unsigned)
    let name = identity?.withLock { $0 }
    return Signature(
      isOfLast: true, round: round, url: http.url,
      identified: asksIdentity
        ? IdentifiedRequest(unsigned, by: type(of: authenticator), identity: name) : nil)
  }

  /// Returns true if a response refuses the credentials.
  func isRefusal(
    _ head: HTTPResponse, round: Int, in context: RequestContext, cancellation: CancellationSignal
  ) async -> Bool {
    await authenticator.isRefusal(
      head,
      context: Authentication.Context(
        dispatch: context, sender: sender, cancellation: cancellation, isExplanation: false, round: round,
        identity: nil))
  }

  /// Asks the authenticator for other credentials, at most until the deadline.
  func renew(
    after error: RequestError, round: Int, in context: RequestContext, within time: TimeLimits
  ) async throws -> Bool {
    let watch = time.deadlineWatch()
    defer { watch?.stop() }
    let isRenewed: Bool
    do {
      isRenewed = try await authenticator.renew(
        after: error,
        context: Authentication.Context(
          dispatch: context, sender: sender, cancellation: watch?.signal ?? time.cancellation,
          isExplanation: false, round: round, identity: nil))
    } catch {
      throw watch?.expiry ?? AuthenticationFailure(authenticator, threw: error)
    }
    if let expiry = watch?.expiry { throw expiry }
    return isRenewed
  }
}

/// The state of the authenticator in an attempt.
struct Signature: Sendable {
  /// True if the last sent request was signed.
  var isOfLast = false
  /// The number of attempts granted before this attempt.
  var round = 0
  /// The URL of the last signed request; redirects to a different origin carry no credentials.
  var url: URL?
  /// True if the authenticator has judged the response before the validators.
  var isAsked = false
  /// True if the authenticator has other credentials for a further attempt.
  var isRenewed = false
  /// The last request before signing; `nil` if the identity behind the credentials is not needed.
  var identified: IdentifiedRequest?
}

/// A request before its signing, with the identity behind the credentials.
final class IdentifiedRequest: Sendable {
  /// The request before signing.
  let unsigned: HTTPRequest
  /// The reported identity; `nil` without a report.
  let identity: CoalescingKey.Identity?
  /// The type of the authenticator.
  private let authenticator: any Authenticator.Type

  init(_ unsigned: HTTPRequest, by authenticator: any Authenticator.Type, identity: String?) {
    (self.unsigned, self.authenticator) = (unsigned, authenticator)
    self.identity = identity.map {
      CoalescingKey.Identity(authenticator: ObjectIdentifier(authenticator), name: $0)
    }
  }

  /// The full name of the authenticator's type; for a private type, contains an address of the process.
  var authenticatorName: String { String(reflecting: authenticator) }

  /// Returns the fields added or changed by the authenticator.
  func added(to signed: HTTPRequest) -> [HTTPHeaders.Field] {
    signed.headers.fields.filter { field in !unsigned.headers.fields.contains { $0.isSame(as: field) } }
  }

  /// Returns the query items added or changed by the authenticator, as sent.
  func addedItems(to signed: HTTPRequest) -> [Substring] {
    guard signed.url != unsigned.url else { return [] }
    var known: [Substring: Int] = [:]
    for item in Self.items(of: unsigned.url) { known[item, default: 0] += 1 }
    return Self.items(of: signed.url).filter { item in
      known[item, default: 0] -= 1
      return known[item, default: 0] < 0
    }
  }

  /// Returns the query items as sent.
  static func items(of url: URL) -> [Substring] {
    URLParts.splitQuery(of: url.absoluteString).query.split(separator: "&")
  }
}

/// An error thrown by an authenticator.
struct AuthenticationFailure: Error {
  /// The start of the clause: `the credentials could not be renewed:`; empty if the cause is complete.
  let subject: String
  let cause: any Error

  /// Wraps an error; an existing `AuthenticationFailure` stays unchanged.
  init(_ authenticator: any Authenticator, threw cause: any Error) {
    if let failure = cause as? AuthenticationFailure {
      self = failure
    } else {
      self.init(subject: cause is Refusal ? "" : "\(type(of: authenticator)) threw ", cause: cause)
    }
  }

  init(subject: String, cause: any Error) {
    self.subject = subject
    self.cause = cause
  }
}
