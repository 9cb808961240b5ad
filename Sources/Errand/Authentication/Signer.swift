import Foundation

struct Signer: Sendable {
  let authenticator: any Authenticator
  let sender: any RequestSender
  let trustedOrigins: TrustedOrigins

  private static let roundLimit = 3

  var maximumRounds: Int { min(max(authenticator.maximumRounds, 1), Self.roundLimit) }

  var name: String { "\(type(of: authenticator))" }

  /// Returns true if a request to `url` may be signed.
  ///
  /// Without a redirect, the origin must be trusted. After a redirect, the attempt must have stayed at the
  /// origin of the signed request.
  func maySign(
    _ url: URL, of request: some Request, after signed: Signature, isRedirected: Bool,
    in context: RequestContext
  ) -> Bool {
    guard isRedirected else { return trustedOrigins.contain(url, of: request) }
    guard !context.hasLeftOrigin else { return false }
    return signed.url.map { Origin.same($0, url) } ?? false
  }

  /// Signs a request; `judge` completes and checks the signed request.
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

  func isRefusal(
    _ head: HTTPResponse, round: Int, in context: RequestContext, cancellation: CancellationSignal
  ) async -> Bool {
    await authenticator.isRefusal(
      head,
      context: Authentication.Context(
        dispatch: context, sender: sender, cancellation: cancellation, isExplanation: false, round: round,
        identity: nil))
  }

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

struct Signature: Sendable {
  var isOfLast = false
  /// The number of additional attempts granted for the authenticator so far.
  var round = 0
  /// The URL of the last signed request.
  var url: URL?
  /// True if a renewal was requested before the validators ran.
  var isAsked = false
  /// True if the renewal granted another attempt.
  var isRenewed = false
  /// The request before signing, for the cache and coalescing; `nil` if not signed or not needed.
  var identified: IdentifiedRequest?
}

final class IdentifiedRequest: Sendable {
  let unsigned: HTTPRequest
  let identity: CoalescingKey.Identity?
  private let authenticator: any Authenticator.Type

  init(_ unsigned: HTTPRequest, by authenticator: any Authenticator.Type, identity: String?) {
    (self.unsigned, self.authenticator) = (unsigned, authenticator)
    self.identity = identity.map {
      CoalescingKey.Identity(authenticator: ObjectIdentifier(authenticator), name: $0)
    }
  }

  /// The name of the authenticator's type; contains a memory address for a private type.
  var authenticatorName: String { String(reflecting: authenticator) }

  func added(to signed: HTTPRequest) -> [HTTPHeaders.Field] {
    signed.headers.fields.filter { field in !unsigned.headers.fields.contains { $0.isSame(as: field) } }
  }

  func addedItems(to signed: HTTPRequest) -> [Substring] {
    guard signed.url != unsigned.url else { return [] }
    var known: [Substring: Int] = [:]
    for item in Self.items(of: unsigned.url) { known[item, default: 0] += 1 }
    return Self.items(of: signed.url).filter { item in
      known[item, default: 0] -= 1
      return known[item, default: 0] < 0
    }
  }

  static func items(of url: URL) -> [Substring] {
    URLParts.splitQuery(of: url.absoluteString).query.split(separator: "&")
  }
}

struct AuthenticationFailure: Error {
  let subject: String
  let cause: any Error

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
