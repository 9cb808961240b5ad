public import Errand
public import Foundation

/// A user's sign-in by authorization code with PKCE (RFC 6749 section 4.1, RFC 7636) in a browser.
///
/// ```swift
/// let signIn = try client.makeSignIn(redirectURI: URL(string: "com.example.app:/back")!)
/// // Show signIn.url in a browser. The browser returns with the URL `callback`.
/// try await authenticator.signIn(signIn, callback: callback, by: agent)
/// ```
///
/// Create a new value for each sign-in.
public struct OAuthSignIn: Sendable, Hashable {
  /// The page to show in the system's browser (RFC 8252 section 8.12).
  public let url: URL
  /// A random value that the callback URL must repeat (RFC 6749 section 10.12).
  let state: String
  let verifier: Secret
  let redirectURI: URL
  private let issuer: String?

  init(_ client: OAuthClient, redirectURI: URL, makeRandom: () -> String) throws(OAuthError) {
    guard let endpoint = client.authorizationEndpoint else {
      throw OAuthError(code: "invalid_endpoint", description: "there is no authorization endpoint")
    }
    (state, self.redirectURI, issuer) = (makeRandom(), redirectURI, client.issuer)
    let verifier = makeRandom()
    self.verifier = Secret(verifier)
    var fields: Parameters = [
      "response_type": "code", "client_id": client.id, "redirect_uri": redirectURI.absoluteString,
      "state": state,
      "code_challenge": Self.challenge(verifier), "code_challenge_method": "S256",
    ]
    if !client.scopes.isEmpty { fields["scope"] = client.scopes.joined(separator: " ") }
    for (name, value) in client.parameters.sorted(by: { $0.key < $1.key }) where fields[name] == nil {
      fields[name] = value
    }
    do {
      url = try endpoint.adding(query: fields)
    } catch {
      throw OAuthError(
        code: "invalid_endpoint", description: "the authorization endpoint cannot have a query")
    }
  }

  /// Returns the SHA-256 hash of the code verifier in Base64url (RFC 7636 section 4.2).
  static func challenge(_ verifier: String) -> String {
    var sum = RunningSum(.sha256)
    Data(verifier.utf8).withUnsafeBytes { sum.update($0) }
    return Data(sum.digest()).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Returns the authorization code of the callback URL.
  ///
  /// A repeated OAuth parameter is an error (RFC 6749 section 3.1).
  func code(from callback: URL) throws(OAuthError) -> Secret {
    let text = callback.absoluteString.prefix { $0 != "#" }
    let place = text.prefix { $0 != "?" }
    let (fields, repeated) = Self.fields(of: text.dropFirst(place.count + 1))
    guard place == redirectURI.absoluteString.prefix(while: { $0 != "?" }),
      Self.isSame(fields["state"] ?? "", state)
    else {
      throw OAuthError(code: "invalid_state", description: "the answer does not belong to this sign-in")
    }
    if let repeated {
      throw OAuthError(
        code: "invalid_response", description: "the answer has the parameter \(repeated) more than once")
    }
    if let issuer, let named = fields["iss"], named != issuer {
      throw OAuthError(code: "invalid_issuer", description: "the answer comes from another server")
    }
    if let error = fields["error"] {
      throw OAuthError(
        code: String(error.prefix(100)),
        description: fields["error_description"].map { String($0.prefix(300)) })
    }
    guard let code = fields["code"], !code.isEmpty else {
      throw OAuthError(code: "invalid_response", description: "the answer has no code")
    }
    return Secret(code)
  }

  /// The OAuth parameters of a callback URL.
  ///
  /// Further parameters are ignored (RFC 6749 section 4.1.2).
  private static let names = ["state", "code", "error", "error_description", "iss"]

  private static func fields(of query: Substring) -> (first: [String: String], repeated: String?) {
    let pairs = query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.map {
        String(decoding: PercentEncoding.decode(Array($0.utf8)[...], plusIsBlank: true), as: UTF8.self)
      }
    }
    let values = Dictionary(grouping: pairs, by: { $0[0] })
    return (
      values.compactMapValues { $0.first.map { $0.count > 1 ? $0[1] : "" } },
      names.first { values[$0, default: []].count > 1 }
    )
  }

  /// Compares in a time that depends only on the lengths.
  private static func isSame(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension OAuthSignIn: PrintedByDescription {
  /// A text without secrets.
  public var description: String { "OAuth sign-in (hidden)" }
}
