import Foundation

/// A challenge of the `Digest` scheme that can be answered (RFC 7616), and its answers.
struct DigestChallenge: Sendable, Hashable {
  enum Algorithm: String, Sendable {
    case sha256 = "SHA-256"
    case md5 = "MD5"

    /// The sum of a text, in hexadecimal digits.
    func sum(_ text: String) -> String {
      var sum: any RunningSum = self == .sha256 ? SHA2<UInt32>() : MD5()
      Data(text.utf8).withUnsafeBytes { sum.update($0) }
      return sum.finished().map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0\(digits)" : digits
      }.joined()
    }
  }

  let realm: String
  let nonce: String
  let algorithm: Algorithm
  private let isSession: Bool
  private let opaque: String?
  /// Whether the answer counts its nonce (`qop=auth`); servers of RFC 2069 do not know it.
  private let counts: Bool
  private let hashesName: Bool
  /// Whether the server says that only the nonce was too old.
  let isStale: Bool

  /// `nil` for another scheme, and for what cannot be answered: an unknown algorithm, or the body's integrity alone.
  init?(_ challenge: AuthenticationChallenge) {
    guard challenge.isScheme("digest"), let realm = challenge.realm,
      let nonce = challenge.parameters["nonce"]
    else { return nil }
    let named = (challenge.parameters["algorithm"] ?? "MD5").uppercased()
    isSession = named.hasSuffix("-SESS")
    guard let algorithm = Algorithm(rawValue: isSession ? String(named.dropLast(5)) : named) else {
      return nil
    }
    if let offers = challenge.parameters["qop"] {
      let isOffered = offers.lowercased().split(separator: ",").contains {
        $0.trimmingCharacters(in: .whitespaces) == "auth"
      }
      guard isOffered else { return nil }
      counts = true
    } else {
      counts = false
    }
    (self.realm, self.nonce, self.algorithm) = (realm, nonce, algorithm)
    opaque = challenge.parameters["opaque"]
    hashesName = challenge.parameters["userhash"]?.lowercased() == "true"
    isStale = challenge.parameters["stale"]?.lowercased() == "true"
  }

  /// The value of `Authorization` (RFC 7616 section 3.4).
  ///
  /// - Parameters:
  ///   - count: how often the nonce was used, this time included.
  ///   - random: digits that nobody can foresee.
  func answer(
    _ method: String, _ target: String, _ credentials: BasicCredentials, count: Int, random: String
  ) -> String {
    let sum = algorithm.sum
    var secret = sum("\(credentials.username):\(realm):\(credentials.password)")
    if isSession { secret = sum("\(secret):\(nonce):\(random)") }
    let number =
      String(repeating: "0", count: max(8 - String(count, radix: 16).count, 0)) + String(count, radix: 16)
    let place = sum("\(method):\(target)")
    let response =
      counts
      ? sum("\(secret):\(nonce):\(number):\(random):auth:\(place)") : sum("\(secret):\(nonce):\(place)")
    let name = hashesName ? sum("\(credentials.username):\(realm)") : credentials.username
    var parts = [
      "username=\(Self.quoted(name))", "realm=\(Self.quoted(realm))", "uri=\(Self.quoted(target))",
      "algorithm=\(algorithm.rawValue)\(isSession ? "-sess" : "")", "nonce=\(Self.quoted(nonce))",
    ]
    if counts || isSession { parts.append("cnonce=\"\(random)\"") }
    if counts { parts += ["nc=\(number)", "qop=auth"] }
    parts.append("response=\"\(response)\"")
    if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
    if hashesName { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
