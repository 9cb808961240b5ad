import Foundation

/// Lets an authenticator sign requests, where they go to an origin that may have its credentials, and renew what was
/// refused.
struct Signer: Sendable {
  let authenticator: any Authenticator
  /// Sends what renews credentials.
  let sender: any RequestSender
  let trustedOrigins: TrustedOrigins

  /// The most that an authenticator may ask for.
  private static let roundLimit = 3

  /// How many attempts the authenticator may ask for in a dispatch.
  var maximumRounds: Int { min(max(authenticator.maximumRounds, 1), Self.roundLimit) }

  /// What was left out where the origin may not have credentials: the type of the authenticator.
  var name: String { "\(type(of: authenticator))" }

  /// Whether credentials may go there: to an origin that code names, and a redirect takes them nowhere but back to the
  /// origin they were for.
  ///
  /// - Parameters:
  ///   - signed: the last request of the attempt that was signed.
  ///   - isRedirected: whether a redirect led there.
  func maySign(
    _ url: URL, of request: some Request, after signed: Signature, isRedirected: Bool,
    in context: RequestContext
  ) -> Bool {
    guard isRedirected else { return trustedOrigins.contain(url, of: request) }
    guard !context.hasLeftOrigin else { return false }
    return signed.url.map { Origin.same($0, url) } ?? false
  }

  /// Lets the authenticator sign the request, and judges what it made of it.
  ///
  /// - Parameters:
  ///   - judge: completes the request, and throws when it may not be sent; gets it as it was before, too.
  ///   - asksIdentity: whether it matters whose credentials were used.
  ///   - round: how many attempts it has asked for.
  ///   - isExplanation: whether nothing is to be sent.
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

  /// Asks the authenticator whether a response refuses its credentials.
  func isRefusal(
    _ head: HTTPResponse, round: Int, in context: RequestContext, cancellation: CancellationSignal
  ) async -> Bool {
    await authenticator.isRefusal(
      head,
      context: Authentication.Context(
        dispatch: context, sender: sender, cancellation: cancellation, isExplanation: false, round: round,
        identity: nil))
  }

  /// Asks the authenticator, no longer than until the deadline, whether there are other credentials now.
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

/// What an authenticator signed of an attempt.
struct Signature: Sendable {
  /// Whether it signed what was sent last.
  var isOfLast = false
  /// How many attempts the authenticator had asked for before this one.
  var round = 0
  /// What it signed last: a redirect elsewhere carries none of it.
  var url: URL?
  /// Whether the authenticator was asked about the answer, before validators judged.
  var isAsked = false
  /// Whether it has other credentials for another attempt.
  var isRenewed = false
  /// What was sent last, as it was before; `nil` where it does not matter whose credentials it carries.
  var identified: IdentifiedRequest?
}

/// A request that an authenticator signed, and whose credentials those were.
final class IdentifiedRequest: Sendable {
  /// As it was before it was signed.
  let unsigned: HTTPRequest
  /// What the authenticator told; `nil` where it told nothing.
  let identity: CoalescingKey.Identity?
  /// The authenticator's type.
  private let authenticator: any Authenticator.Type

  init(_ unsigned: HTTPRequest, by authenticator: any Authenticator.Type, identity: String?) {
    (self.unsigned, self.authenticator) = (unsigned, authenticator)
    self.identity = identity.map {
      CoalescingKey.Identity(authenticator: ObjectIdentifier(authenticator), name: $0)
    }
  }

  /// The name of the authenticator's type, the same in every process.
  var authenticatorName: String { String(reflecting: authenticator) }

  /// The fields that it put in, or changed.
  func added(to signed: HTTPRequest) -> [HTTPHeaders.Field] {
    signed.headers.fields.filter { field in !unsigned.headers.fields.contains { $0.isSame(as: field) } }
  }

  /// The items of the query that it put in, or changed, as they are sent.
  func addedItems(to signed: HTTPRequest) -> [Substring] {
    guard signed.url != unsigned.url else { return [] }
    var known: [Substring: Int] = [:]
    for item in Self.items(of: unsigned.url) { known[item, default: 0] += 1 }
    return Self.items(of: signed.url).filter { item in
      known[item, default: 0] -= 1
      return known[item, default: 0] < 0
    }
  }

  /// The items of the query, as they are sent.
  static func items(of url: URL) -> [Substring] {
    URLParts.splitQuery(of: url.absoluteString).query.split(separator: "&")
  }
}

/// What an authenticator threw.
struct AuthenticationFailure: Error {
  /// What it was about, as the beginning of a clause: `the credentials could not be renewed:`; empty where the cause says all.
  let subject: String
  let cause: any Error

  /// Of whatever was thrown; a failure that says more already stays as it is.
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
