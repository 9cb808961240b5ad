public import Errand
public import Foundation

/// A client of an authorization server (RFC 6749 section 2): where the server is, and who asks.
///
/// ```swift
/// let client = try OAuthClient(
///   id: "errands", secret: Secret(password), tokenEndpoint: URL(string: "https://id.example.com/token"), scopes: ["read"])
/// configuration.authenticator = OAuthAuthenticator(client, grant: .clientCredentials)
/// ```
///
/// Printing hides the secret.
public struct OAuthClient: Sendable, Hashable {
  /// How a client shows its secret to the token endpoint.
  public enum Authentication: Sendable, Hashable {
    /// By the `Basic` scheme, id and secret each encoded as in a form (RFC 6749 section 2.3.1).
    case basic
    /// As fields of the body, for servers that know no better.
    case body
  }

  /// The id that the server has given to the client.
  public let id: String
  /// What only the two of them know; `nil` for a client that can keep no secret, such as an app.
  public let secret: Secret?
  /// Where tokens come from (RFC 6749 section 3.2).
  public let tokenEndpoint: URL
  /// Where users sign in (RFC 6749 section 3.1); `nil` where none do.
  public let authorizationEndpoint: URL?
  /// Which server it is (RFC 9207): the answer to a sign-in has to name it where it names any; `nil` by default.
  public var issuer: String?
  /// What is asked for (RFC 6749 section 3.3); empty by default, which leaves it to the server.
  public var scopes: [String]
  /// What the server wants besides, such as `audience` or `resource`, in requests to both endpoints; empty by default.
  public var parameters: [String: String] = [:]
  /// How the secret is shown; `.basic` by default.
  public var authentication: Authentication = .basic

  /// Makes a client.
  ///
  /// - Throws: ``OAuthError`` of the code `invalid_endpoint` where an endpoint is missing, is not of https, this machine apart, or has a fragment.
  public init(
    id: String, secret: Secret? = nil, tokenEndpoint: URL?, authorizationEndpoint: URL? = nil,
    scopes: [String] = []
  ) throws(OAuthError) {
    guard let tokenEndpoint else {
      throw OAuthError(code: "invalid_endpoint", description: "there is no token endpoint")
    }
    for endpoint in [tokenEndpoint, authorizationEndpoint].compactMap(\.self) { try Self.check(endpoint) }
    (self.id, self.secret, self.scopes) = (id, secret, scopes)
    (self.tokenEndpoint, self.authorizationEndpoint) = (tokenEndpoint, authorizationEndpoint)
  }

  private static func check(_ endpoint: URL) throws(OAuthError) {
    guard endpoint.isConfidential, !endpoint.absoluteString.utf8.contains(UInt8(ascii: "#")) else {
      throw OAuthError(
        code: "invalid_endpoint", description: "\(endpoint.shownText) is no https URL without a fragment")
    }
  }

  /// Begins a sign-in of a user by authorization code with PKCE (RFC 7636).
  ///
  /// - Parameter redirectURI: where the browser comes back to, as it is registered with the server.
  /// - Throws: ``OAuthError`` of the code `invalid_endpoint` where there is no authorization endpoint.
  public func makeSignIn(redirectURI: URL) throws(OAuthError) -> OAuthSignIn {
    try OAuthSignIn(self, redirectURI: redirectURI) { SystemRandom.digits() + SystemRandom.digits() }
  }

  /// The request of a grant.
  func tokenRequest(_ fields: [(String, any ParameterValue)]) -> OAuthTokenRequest {
    var parameters = Parameters()
    for (name, value) in self.parameters.sorted(by: { $0.key < $1.key }) { parameters[name] = value }
    for (name, value) in fields { parameters[name] = value }
    var headers: HTTPHeaders = ["Accept": "application/json"]
    switch (secret, authentication) {
    case (nil, _): parameters["client_id"] = id
    case (let secret?, .body):
      parameters["client_id"] = id
      parameters["client_secret"] = secret
    case (let secret?, .basic):
      headers["Authorization"] = "Basic \(basicPair(secret))"
    }
    return OAuthTokenRequest(path: tokenEndpoint.absoluteString, headers: headers, parameters: parameters)
  }

  /// What a request for tokens shows of this client, and the fields of it that are secrets.
  func secrets(and fields: [(String, any ParameterValue)]) -> [Secret] {
    let own = secret.map { secret in
      [secret, Secret(Self.formEncoded(secret.reveal())), Secret(basicPair(secret))]
    }
    return (own ?? []) + fields.compactMap { $0.1 as? Secret }
  }

  private func basicPair(_ secret: Secret) -> String {
    let pair = "\(Self.formEncoded(id)):\(Self.formEncoded(secret.reveal()))"
    return Data(pair.utf8).base64EncodedString()
  }

  /// As in a form (RFC 6749 appendix B).
  private static func formEncoded(_ text: String) -> String {
    text.utf8.map { byte in
      if ASCII.isAlphanumeric(byte) || "-._*".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
      return byte == 0x20 ? "+" : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

extension OAuthClient: PrintedByDescription {
  /// The id and the token endpoint.
  public var description: String {
    "OAuth client \(id.printed) of \(tokenEndpoint.shownText)"
  }
}

/// Asks the token endpoint; any status is an answer.
struct OAuthTokenRequest: Request {
  typealias Response = HTTPResponse
  let path: String
  let headers: HTTPHeaders
  let parameters: Parameters
  let method = HTTPMethod.post
  let requestSerializer = RequestSerializer.form
  let validators: [any ResponseValidator] = []
  let authentication = Authentication.none
  let cookies = CookiePolicy.none
  let redirectPolicy: RedirectPolicy = .none
  let retryPolicy: RetryPolicy = .none
}
