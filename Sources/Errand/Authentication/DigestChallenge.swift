import Foundation

/// A challenge of the `Digest` scheme (RFC 7616).
struct DigestChallenge: Sendable, Hashable {
  enum Algorithm: String, Sendable {
    case sha512To256 = "SHA-512-256"
    case sha256 = "SHA-256"
    case md5 = "MD5"

    private func makeSum() -> RunningSum {
      switch self {
      case .sha512To256: RunningSum(.sha512To256)
      case .sha256: RunningSum(.sha256)
      case .md5: RunningSum(.md5)
      }
    }

    fileprivate var rank: Int {
      switch self {
      case .sha512To256: 0
      case .sha256: 1
      case .md5: 2
      }
    }

    func sum(_ text: String) -> String {
      var sum = makeSum()
      Data(text.utf8).withUnsafeBytes { sum.update($0) }
      return Self.digits(of: sum)
    }

    func sum(of body: BodyStream, unless signal: CancellationSignal) async throws -> String {
      let ending = signal.onCancel { body.cancel() }
      defer { signal.removeHandler(ending) }
      var sum = makeSum()
      for try await chunk in body {
        if signal.isCancelled { throw CancellationError() }
        chunk.withUnsafeBytes { sum.update($0) }
      }
      return Self.digits(of: sum)
    }

    private static func digits(of sum: RunningSum) -> String {
      sum.digest().map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0\(digits)" : digits
      }.joined()
    }
  }

  /// The parts of the request that the digest covers (`qop`).
  enum Protection: String, Sendable {
    case authentication = "auth"
    case integrity = "auth-int"
  }

  let realm: String
  private(set) var nonce: String
  let algorithm: Algorithm
  private let isSession: Bool
  private let opaque: String?
  /// The chosen protection; `nil` without a `qop`, as in RFC 2069.
  private let protection: Protection?
  private let hashesName: Bool
  /// True if the server says that the previous nonce was too old.
  let isStale: Bool

  var coversBody: Bool { protection == .integrity }

  /// Parses a challenge.
  ///
  /// `auth` is preferred to `auth-int`: an attacker could remove `auth-int` from the offer, so `auth-int`
  /// adds no protection.
  init?(_ challenge: HTTPResponse.Challenge) {
    guard challenge.isScheme("digest"), let realm = challenge.realm,
      let nonce = challenge.parameters["nonce"],
      [realm, nonce, challenge.parameters["opaque"] ?? ""].allSatisfy(Self.isFieldText)
    else { return nil }
    let named = (challenge.parameters["algorithm"] ?? "MD5").uppercased()
    isSession = named.hasSuffix("-SESS")
    guard let algorithm = Algorithm(rawValue: isSession ? String(named.dropLast(5)) : named) else {
      return nil
    }
    if let offers = challenge.parameters["qop"] {
      let offered = offers.lowercased().split(separator: ",").compactMap {
        Protection(rawValue: $0.trimmingCharacters(in: .whitespaces))
      }
      guard let first = offered.first else { return nil }
      protection = offered.contains(.authentication) ? .authentication : first
    } else {
      protection = nil
    }
    (self.realm, self.nonce, self.algorithm) = (realm, nonce, algorithm)
    opaque = challenge.parameters["opaque"]
    hashesName = challenge.parameters["userhash"]?.lowercased() == "true"
    isStale = challenge.parameters["stale"]?.lowercased() == "true"
  }

  /// Returns true if a header may contain the text (RFC 9110 section 5.5).
  private static func isFieldText(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  static func strongest(of challenges: [HTTPResponse.Challenge]) -> DigestChallenge? {
    challenges.compactMap { DigestChallenge($0) }.enumerated()
      .min { ($0.element.algorithm.rank, $0.offset) < ($1.element.algorithm.rank, $1.offset) }?.element
  }

  /// Returns the challenge with a response's `nextnonce` (RFC 7616 section 3.5), if usable.
  func next(after head: HTTPResponse) -> DigestChallenge? {
    guard let field = head.headers["Authentication-Info"],
      let parameters = HTTPResponse(headers: ["WWW-Authenticate": "Digest \(field)"]).challenges.first?
        .parameters, let nonce = parameters["nextnonce"], Self.isFieldText(nonce)
    else { return nil }
    var challenge = self
    challenge.nonce = nonce
    return challenge
  }

  /// Returns the value of `Authorization` (RFC 7616 section 3.4); `count` includes the new use of the nonce.
  func answer(
    method: String, target: String, credentials: BasicCredentials, count: Int, clientNonce: String,
    bodySum: String = ""
  ) -> String {
    let sum = algorithm.sum
    var secret = sum("\(credentials.username):\(realm):\(credentials.password)")
    if isSession { secret = sum("\(secret):\(nonce):\(clientNonce)") }
    let number =
      String(repeating: "0", count: max(8 - String(count, radix: 16).count, 0)) + String(count, radix: 16)
    let requestSum = sum(coversBody ? "\(method):\(target):\(bodySum)" : "\(method):\(target)")
    let response = sum(
      protection.map { "\(secret):\(nonce):\(number):\(clientNonce):\($0.rawValue):\(requestSum)" }
        ?? "\(secret):\(nonce):\(requestSum)")
    let name = hashesName ? sum("\(credentials.username):\(realm)") : credentials.username
    var parts = [
      "username=\(Self.quoted(name))", "realm=\(Self.quoted(realm))", "uri=\(Self.quoted(target))",
      "algorithm=\(algorithm.rawValue)\(isSession ? "-sess" : "")", "nonce=\(Self.quoted(nonce))",
    ]
    if protection != nil || isSession { parts.append("cnonce=\"\(clientNonce)\"") }
    if let protection { parts += ["nc=\(number)", "qop=\(protection.rawValue)"] }
    parts.append("response=\"\(response)\"")
    if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
    if hashesName { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
