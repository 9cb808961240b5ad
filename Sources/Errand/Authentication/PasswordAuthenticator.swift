import Foundation

/// Answers what a server asks for: a user name and a password by `Digest` (RFC 7616), or by `Basic` (RFC 7617).
///
/// ```swift
/// let credentials = BasicCredentials(username: "ada", password: "s3cret")
/// configuration.authenticator = credentials.map { PasswordAuthenticator($0) }
/// ```
///
/// The first request goes without; after a 401 the strongest challenge is answered, SHA-512/256 before SHA-256 before MD5 before `Basic`, with one attempt more, or
/// with as many as three, while the server says that only its nonce was too old. From then on each request to that origin is answered before it is asked, until the server wants another nonce. `Basic` is answered over https,
/// or to this machine: on an open line anybody could ask for it and read the password. A 401 to the right answer is not tried again: the
/// password is wrong, and ``HTTPResponse/challenges`` of the error's response say who asked for it. A server that is known to want `Basic` gets it at
/// once from ``BasicAuthenticator``.
///
/// Digest sums protect the password, and of the request its method and target. The body they protect only where the server offers nothing but
/// `auth-int`: then it is read once more before it is sent, and one that can be produced only once is an error. MD5 is there for servers that know
/// nothing newer. A next nonce in `Authentication-Info` is taken for the requests that follow. Printing hides the credentials.
public final class PasswordAuthenticator: Authenticator {
  private enum Answer {
    case digest(DigestChallenge, count: Int)
    case basic
  }

  /// By host.
  private let credentials: @Sendable (String) -> BasicCredentials?
  private let allowsBasic: Bool
  private let makeRandom: @Sendable () -> String
  /// What each origin has asked for.
  private let answers = Locked<[Origin: Answer]>([:])

  /// Origins whose challenges are kept; beyond it all are forgotten, and asked for again.
  private static let originLimit = 64

  /// Makes an authenticator.
  ///
  /// - Parameters:
  ///   - credentials: sent to the origins that the agent trusts, and to no other.
  ///   - allowsBasic: whether `Basic` is answered too; `true` by default.
  public convenience init(_ credentials: BasicCredentials, allowsBasic: Bool = true) {
    self.init({ _ in credentials }, allowsBasic: allowsBasic, makeRandom: SystemRandom.digits)
  }

  /// Makes an authenticator that looks names and passwords up by host.
  ///
  /// - Parameters:
  ///   - netrc: what curl reads with `--netrc`; a host that is not in it is not answered.
  ///   - allowsBasic: whether `Basic` is answered too; `true` by default.
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

  /// Sets `Authorization` where the origin has asked for it before.
  public func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    guard let origin = Origin(request.url), let credentials = credentials(origin.host) else { return }
    let answer: Answer? = answers.withLock { answers in
      guard case .digest(let challenge, let count) = answers[origin] else { return answers[origin] }
      if !context.isExplanation { answers[origin] = .digest(challenge, count: count + 1) }
      return .digest(challenge, count: count + 1)
    }
    guard let answer else { return }
    // Not by the name alone: whoever says another password is somebody else.
    context.identify(as: DigestChallenge.Algorithm.sha256.sum(credentials.headerValue))
    switch answer {
    case .basic: request.headers.setBasicCredentials(credentials)
    case .digest(let challenge, let count):
      let bodySum =
        challenge.coversBody ? try await Self.sum(of: request.body, for: challenge, in: context) : ""
      request.headers["Authorization"] = challenge.answer(
        method: request.method.token, target: Self.target(of: request.url), credentials: credentials,
        count: count, random: makeRandom(),
        bodySum: bodySum)
    }
  }

  /// Whether the status is 401; takes the nonce that a response names for the next request (RFC 7616 section 3.5).
  public func isRefusal(_ head: HTTPResponse, context: Authentication.Context) async -> Bool {
    if head.headers.contains("Authentication-Info"), let origin = head.url.flatMap({ Origin($0) }) {
      answers.withLock { answers in
        guard case .digest(let challenge, let count) = answers[origin],
          let next = challenge.next(after: head)
        else { return }
        // A server takes the same number twice for a replay, also where it names the nonce again.
        answers[origin] = .digest(next, count: next.nonce == challenge.nonce ? count : 0)
      }
    }
    return head.status == 401
  }

  /// Three: a server may take back the nonce that it has just given.
  public var maximumRounds: Int { 3 }

  private static func sum(
    of body: RequestBody, for challenge: DigestChallenge, in context: Authentication.Context
  ) async throws -> String {
    guard let bytes = body.replay else {
      throw Refusal(
        "the server wants a sum of the body (Digest, qop=auth-int), and this one can be produced only once",
        kind: .authentication)
    }
    return try await challenge.algorithm.sum(of: bytes, unless: context.cancellation)
  }

  /// Takes the challenge of a 401, unless it is the answer to one that was right.
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
      // It is asked for again before it is said again: too many wrong ones may lock the account.
      answers.withLock { $0[origin] = nil }
      return false
    default: break
    }
    answers.withLock { answers in
      let known = answers[origin]
      if known == nil, answers.count >= Self.originLimit { answers = [:] }
      answers[origin] = answer
      // Others may have answered with the same nonce meanwhile, and each count is for once.
      if case .digest(let new, _) = answer, case .digest(let old, let count)? = known, old.nonce == new.nonce
      {
        answers[origin] = .digest(new, count: count)
      }
    }
    return true
  }

  /// Whether what was sent had these credentials for the same realm: the server does not want them, whatever its nonce.
  private func isAnswer(_ sent: String, to challenge: DigestChallenge, round: Int) -> Bool {
    let parameters = HTTPResponse(headers: ["WWW-Authenticate": sent]).challenges.first?.parameters
    // In the first round it may be a nonce that the server has forgotten, without saying that it is stale.
    return parameters?["realm"] == challenge.realm && (round > 0 || parameters?["nc"] == "00000001")
  }

  /// The strongest that can be answered there.
  private func answer(to challenges: [HTTPResponse.Challenge], at url: URL) -> Answer? {
    if let best = DigestChallenge.strongest(of: challenges) { return .digest(best, count: 0) }
    guard allowsBasic, challenges.contains(where: { $0.isScheme("basic") }),
      Origin(url)?.isConfidential == true
    else { return nil }
    return .basic
  }

  /// Path and query as they are sent.
  static func target(of url: URL) -> String {
    let text = URLParts.withoutFragment(url.absoluteString)
    guard let mark = text.range(of: "://") else { return "/" }
    let place = text[mark.upperBound...].utf8.drop { $0 != 0x2F && $0 != 0x3F }
    return (place.first == 0x2F ? "" : "/") + String(Substring(place))
  }
}

extension Authenticator where Self == PasswordAuthenticator {
  /// A ``PasswordAuthenticator``, which keeps what it was asked for: make one for an agent.
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
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
