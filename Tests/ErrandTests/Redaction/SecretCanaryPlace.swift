import Foundation

@testable import Errand
@testable import ErrandOAuth

enum SecretCanaryPlace: String, CaseIterable {
  case bearer, basic, digest, dpop, signature, bareCredential, unknownScheme, proxy, cookie, apiKey,
    sessionHeader, storedCookie, oauthToken, password
  case secretHeader, secretHeaderName, secretOfAgent, secretOfHook, agentHeader, agentUserInfo, userInfo
  case query, sessionItem, urlInQuery, secretQuery, secretParameter, secretPath
  case form, json, nestedJSON, secretForm, secretJSON, encodedSecret

  /// Valid in headers, or with characters that need escaping for other locations.
  var canary: SecretCanary {
    switch self {
    case .secretHeaderName: SecretCanary(text: "c4nAry~+x9.Zq-7w")
    case .bearer, .basic, .digest, .dpop, .signature, .bareCredential, .unknownScheme, .proxy, .cookie,
      .apiKey, .storedCookie, .oauthToken, .password,
      .sessionHeader, .secretHeader, .secretOfAgent, .secretOfHook, .agentHeader, .agentUserInfo, .userInfo:
      SecretCanary(text: "c4nAry~+/x9.Zq-7w")
    default: SecretCanary(text: "c4n\"Ary é\\/+&x9<Zq%41w")
    }
  }

  private var text: String { canary.text }

  private var headers: HTTPHeaders {
    switch self {
    case .bearer: ["Authorization": "Bearer \(text)"]
    case .basic: ["Authorization": BasicCredentials(username: "ada", password: text)?.headerValue ?? ""]
    case .digest: ["Authorization": "Digest username=\"ada\", realm=\"r\", response=\"\(text)\""]
    case .dpop: ["Authorization": "DPoP \(text)"]
    case .signature: ["Authorization": "AWS4-HMAC-SHA256 Credential=AK/1/s3, Signature=\(text)"]
    case .bareCredential: ["Authorization": text]
    case .unknownScheme: ["Authorization": "Example \(text)"]
    case .proxy: ["Proxy-Authorization": "Bearer \(text)"]
    case .cookie: ["Cookie": "theme=light; sid=\(text)"]
    case .apiKey: ["X-Api-Key": text]
    case .sessionHeader: ["X-Session": text]
    case .secretHeader: ["X-Harmless": "a \(text)"]
    case .secretHeaderName: ["\(text)": "1"]
    default: [:]
    }
  }

  private var encoded: String { PercentEncoding.encode(text).replacing("/", with: "%2F") }

  private var path: String {
    switch self {
    case .userInfo: "https://ada:\(encoded)@mocked.example/start"
    case .query: "start?token=\(encoded)"
    case .sessionItem: "start?a=1&session%5Fid=\(encoded)&b=2"
    case .urlInQuery: "start?next=\(PercentEncoding.encode("https://h/?token=\(encoded)"))"
    case .secretPath: "start/\(encoded)/end"
    default: "start"
    }
  }

  private var parameters: Parameters {
    switch self {
    case .form, .json: ["user": "ada", "password": text]
    case .nestedJSON: ["a": .object(["client_secret": .list(1, text)])]
    case .secretForm, .secretJSON: ["user": "ada", "harmless": Secret(text)]
    case .secretParameter: ["harmless": .list(Secret(text))]
    default: [:]
    }
  }

  private var method: HTTPMethod {
    switch self {
    case .form, .json, .nestedJSON, .secretForm, .secretJSON, .encodedSecret: .post
    default: .get
    }
  }

  private struct Encoded: Encodable, Sendable { var harmless: [Secret] }

  func request<Value: Sendable>(_ serializer: any ResponseSerializer<Value>) -> some Request<Value> {
    let isJSON = [.json, .nestedJSON, .secretJSON].contains(self)
    let marked: Set<SecretCanaryPlace> = [.secretHeader, .secretHeaderName, .secretPath]
    return OneOffRequest(
      path, method: method, parameters: parameters,
      query: self == .secretQuery ? ["harmless": Secret(text)] : [:], headers: headers,
      body: self == .encodedSecret ? .json(Encoded(harmless: [Secret(text)])) : .automatic,
      serializer: isJSON ? .json : .form, response: serializer
    ).with(\.secrets, marked.contains(self) ? [Secret(text)] : [])
  }

  func configure(_ configuration: inout AgentConfiguration) {
    if self == .secretOfAgent {
      configuration.headers["X-Harmless"] = text
      if !configuration.redaction.hidesNothing {
        configuration.redaction = configuration.redaction.hiding(secrets: [Secret(text)])
      }
    }
    if self == .agentHeader { configuration.headers["X-Auth-Token"] = text }
    if self == .storedCookie, let cookie = Cookie(name: "sid", value: text, domain: "mocked.example") {
      let cookies = CookieStore()
      cookies.set(cookie)
      configuration.cookies = cookies
    }
    if self == .oauthToken { configuration.authenticator = Self.oauth(text) }
    if self == .password {
      configuration.authenticator = BasicCredentials(username: "ada", password: text).map(
        BasicAuthenticator.init)
    }
  }

  private static func oauth(_ text: String) -> (any Authenticator)? {
    let endpoint = URL(string: "https://id.example/token")
    let client = try? OAuthClient(id: "a", secret: Secret(text), tokenEndpoint: endpoint)
    let store = MemoryTokenStore(BearerAuthenticator.Credential(accessToken: text, refreshToken: text))
    return client.map { OAuthAuthenticator($0, grant: .refreshToken, store: store) }
  }

  var hooks: [any RequestHooks] { self == .secretOfHook ? [Signing(token: Secret(text))] : [] }

  var base: String {
    self == .agentUserInfo ? "https://ada:\(encoded)@mocked.example" : "https://mocked.example"
  }

  private struct Signing: RequestHooks {
    let token: Secret
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.headers["X-Harmless"] = token.reveal()
    }
  }
}
