import Foundation

/// Answers a server's challenge with a user name and a password.
///
/// ```swift
/// let credentials = BasicCredentials(username: "ada", password: "s3cret")
/// configuration.authenticator = credentials.map { PasswordAuthenticator($0) }
/// ```
///
/// Answers `Digest` challenges (RFC 7616). Answers `Basic` challenges (RFC 7617) only if allowed, and only
/// over https or to a loopback host.
public final class PasswordAuthenticator: Authenticator {
  private enum Answer {
    case digest(DigestChallenge, count: Int)
    case basic
  }

  private let credentials: @Sendable (String) -> BasicCredentials?
  private let allowsBasic: Bool
  private let makeRandom: @Sendable () -> String
  private let answers = Locked<[Origin: Answer]>([:])

  /// The maximum number of stored answers; a further origin drops all answers.
  private static let originLimit = 64

  /// Creates an authenticator with fixed credentials.
  ///
  /// - Parameters:
  ///   - credentials: The user name and the password.
  ///   - allowsBasic: True to answer `Basic` challenges too; `true` by default.
  public convenience init(_ credentials: BasicCredentials, allowsBasic: Bool = true) {
    self.init({ _ in credentials }, allowsBasic: allowsBasic, makeRandom: SystemRandom.digits)
  }

  /// Creates an authenticator with names and passwords by host.
  ///
  /// - Parameters:
  ///   - netrc: The credentials by host.
  ///   - allowsBasic: True to answer `Basic` challenges too; `true` by default.
  public convenience init(netrc: Netrc, allowsBasic: Bool = true) {
    self.init({ netrc[$0] }, allowsBasic: allowsBasic, makeRandom: SystemRandom.digits)
  }

  init(
    _ credentials: @escaping @Sendable (String) -> BasicCredentials?, allowsBasic: Bool,
    makeRandom: @escaping @Sendable () -> String
  ) {
    self.credentials = credentials
    self.allowsBasic = allowsBasic
    self.makeRandom = makeRandom
  }

  /// Sets `Authorization` for an origin with a known challenge.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    guard let origin = Origin(request.url), let credentials = credentials(origin.host) else { return }
    let answer: Answer? = answers.withLock { answers in
      guard case .digest(let challenge, let count) = answers[origin] else { return answers[origin] }
      if !context.isExplanation { answers[origin] = .digest(challenge, count: count + 1) }
      return .digest(challenge, count: count + 1)
    }
    guard let answer else { return }
    // The identity for coalescing and the cache includes the password, because the server's response may depend
    // on the password.
    context.identify(as: DigestChallenge.Algorithm.sha256.sum(credentials.headerValue))
    switch answer {
    case .basic: request.headers.setBasicCredentials(credentials)
    case .digest(let challenge, let count):
      let bodySum =
        challenge.coversBody ? try await Self.sum(of: request.body, for: challenge, in: context) : ""
      request.headers["Authorization"] = challenge.answer(
        method: request.method.token, target: Self.target(of: request.url), credentials: credentials,
        count: count, clientNonce: makeRandom(),
        bodySum: bodySum)
    }
  }

  /// Returns true for status 401.
  ///
  /// Also stores a nonce that the server gives for the next request (RFC 7616 section 3.5).
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    if head.headers.contains("Authentication-Info"), let origin = head.url.flatMap({ Origin($0) }) {
      answers.withLock { answers in
        guard case .digest(let challenge, let count) = answers[origin],
          let next = challenge.next(after: head)
        else { return }
        // The server may treat a repeated count as a replay.
        answers[origin] = .digest(next, count: next.nonce == challenge.nonce ? count : 0)
      }
    }
    return head.status == 401
  }

  /// Three: one round for the challenge, and two because the server may refuse a new nonce as stale.
  public var maximumRounds: Int { 3 }

  private static func sum(
    of body: RequestBody, for challenge: DigestChallenge, in context: Authentication.Context
  ) async throws -> String {
    guard let bytes = body.replay else {
      throw Refusal(
        "the server requires a digest of the body (Digest, qop=auth-int), but the body can be produced only once",
        kind: .authentication)
    }
    return try await challenge.algorithm.sum(of: bytes, unless: context.cancellation)
  }

  /// Stores the answer to a challenge for another attempt; returns `false` if no further answer is tried.
  public func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool {
    guard failure.status == 401, let response = failure.response, let request = failure.request,
      let origin = Origin(request.url), let credentials = credentials(origin.host),
      let answer = answer(to: response.challenges, at: request.url)
    else { return false }
    let sent = request.headers["Authorization"] ?? ""
    switch answer {
    case .basic where sent == credentials.headerValue: return false
    case .digest(let challenge, _)
    where !challenge.isStale && sent.hasPrefix("Digest ")
      && isAnswer(sent, to: challenge, round: context.round):
      // Further wrong answers could lock the account.
      answers.withLock { $0[origin] = nil }
      return false
    default: break
    }
    answers.withLock { answers in
      let known = answers[origin]
      if known == nil, answers.count >= Self.originLimit { answers = [:] }
      answers[origin] = answer
      // Concurrent requests may have used the nonce already, so the count continues.
      if case .digest(let new, _) = answer, case .digest(let old, let count)? = known, old.nonce == new.nonce
      {
        answers[origin] = .digest(new, count: count)
      }
    }
    return true
  }

  private func isAnswer(_ sent: String, to challenge: DigestChallenge, round: Int) -> Bool {
    let parameters = HTTPResponse(headers: ["WWW-Authenticate": sent]).challenges.first?.parameters
    // In round 0, an answer with a reused nonce does not count as wrong. The server may have forgotten the
    // nonce.
    return parameters?["realm"] == challenge.realm && (round > 0 || parameters?["nc"] == "00000001")
  }

  private func answer(to challenges: [HTTPResponse.Challenge], at url: URL) -> Answer? {
    if let best = DigestChallenge.strongest(of: challenges) { return .digest(best, count: 0) }
    guard allowsBasic, challenges.contains(where: { $0.isScheme("basic") }),
      Origin(url)?.isConfidential == true
    else { return nil }
    return .basic
  }

  static func target(of url: URL) -> String {
    let text = URLParts.withoutFragment(url.absoluteString)
    guard let mark = text.range(of: "://") else { return "/" }
    let place = text[mark.upperBound...].utf8.drop { $0 != 0x2F && $0 != 0x3F }
    return (place.first == 0x2F ? "" : "/") + String(Substring(place))
  }
}

extension Authenticator where Self == PasswordAuthenticator {
  /// Creates a ``PasswordAuthenticator``.
  public static func password(
    _ credentials: BasicCredentials, allowsBasic: Bool = true
  ) -> PasswordAuthenticator {
    PasswordAuthenticator(credentials, allowsBasic: allowsBasic)
  }
}

extension PasswordAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Password authenticator (hidden)`.
  public var description: String { "Password authenticator (hidden)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
