public import Errand
public import Foundation

/// A client of an authorization server (RFC 6749 section 2).
///
/// ```swift
/// let client = try OAuthClient(
///   id: "errands", secret: Secret(password),
///   tokenEndpoint: URL(string: "https://id.example.com/token"), scopes: ["read"])
/// configuration.authenticator = OAuthAuthenticator(client, grant: .clientCredentials)
/// ```
public struct OAuthClient: Sendable, Hashable {
  /// The way of sending the client secret to the token endpoint.
  public enum Authentication: Sendable, Hashable {
    /// The `Basic` scheme (RFC 6749 section 2.3.1).
    case basic
    /// The fields `client_id` and `client_secret` of the body.
    case body
  }

  /// The client identifier assigned by the server.
  public let id: String
  /// The client secret; `nil` for a public client, such as an app.
  public let secret: Secret?
  /// The token endpoint (RFC 6749 section 3.2).
  public let tokenEndpoint: URL
  /// The page for sign-ins (RFC 6749 section 3.1); `nil` without sign-ins.
  public let authorizationEndpoint: URL?
  /// The issuer identifier of the server (RFC 9207); `nil` by default.
  ///
  /// If set, a sign-in response that names a different issuer is refused.
  public var issuer: String?
  /// The requested scopes (RFC 6749 section 3.3); empty by default.
  public var scopes: [String]
  /// Additional parameters for both endpoints; empty by default.
  public var parameters: [String: String] = [:]
  /// The way of sending the client secret, if any; `.basic` by default.
  public var authentication: Authentication = .basic

  /// Creates a client.
  ///
  /// - Throws: ``OAuthError`` if the token endpoint is missing, or if an endpoint has a fragment. An endpoint
  ///   must use https, except on this machine.
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
        code: "invalid_endpoint", description: "\(endpoint.shownText) is not an https URL without a fragment")
    }
  }

  /// Returns a new sign-in of a user by authorization code with PKCE (RFC 7636).
  ///
  /// - Throws: ``OAuthError`` if the authorization endpoint is missing or unusable.
  public func makeSignIn(redirectURI: URL) throws(OAuthError) -> OAuthSignIn {
    try OAuthSignIn(self, redirectURI: redirectURI) { SystemRandom.digits() + SystemRandom.digits() }
  }

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

  /// Encodes a text as in a form (RFC 6749 appendix B).
  private static func formEncoded(_ text: String) -> String {
    text.utf8.map { byte in
      if ASCII.isAlphanumeric(byte) || "-._*".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
      return byte == 0x20 ? "+" : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}

extension OAuthClient: PrintedByDescription {
  /// A text without the secret.
  public var description: String {
    "OAuth client \(id.printed) of \(tokenEndpoint.shownText)"
  }
}

/// A request to the token endpoint.
///
/// Every status is a valid response.
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
