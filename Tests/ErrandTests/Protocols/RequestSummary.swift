import Foundation

@testable import Errand

/// Every requirement as text, by name.
func summary<R: Request>(of request: R) throws -> [String: String] {
  [
    "baseURL": "\(String(describing: request.baseURL))",
    "path": request.path,
    "method": request.method.token,
    "headers": request.headers.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ";"),
    "parameters": try ParameterEncoding().encode(request.parameters),
    "query": try ParameterEncoding().encode(request.query),
    "body": request.body.description,
    "requestSerializer": request.requestSerializer.contentType,
    "responseSerializer": "\(type(of: request.responseSerializer))",
    "jsonCoding": "\(String(describing: request.jsonCoding))",
    "jsonEncoder": "\(String(describing: request.jsonEncoder.map { ObjectIdentifier($0) }))",
    "jsonDecoder": "\(String(describing: request.jsonDecoder.map { ObjectIdentifier($0) }))",
    "validators": "\(request.validators)",
    "retryPolicy": "\(request.retryPolicy)",
    "redirectPolicy": "\(request.redirectPolicy)",
    "mockPolicy": request.mockPolicy.description,
    "authentication": request.authentication.description,
    "coalescing": request.coalescing.description,
    "timeout": "\(request.timeout)",
    "deadline": "\(String(describing: request.deadline))",
    "priority": "\(request.priority.value)",
    "cookies": "\(request.cookies)",
    "limitKey": "\(String(describing: request.limitKey))",
    "networkAccess": "\(request.networkAccess.rawValue)",
    "isSerial": "\(request.isSerial)",
    "limits": "\(String(describing: request.limits))",
    "usesCDN": "\(request.usesCDN)",
    "cdnURL": "\(String(describing: request.cdnURL))",
    "tag": "\(request.tag)",
    "userInfo": "\(request.userInfo.sorted { $0.key < $1.key })",
    "accessories": "\(request.accessories)",
    "comment": "\(String(describing: request.comment))",
    "urlTemplate": "\(String(describing: request.urlTemplate))",
    "secrets": "\(request.secrets.map { $0.reveal() })",
    "customRequest": "\(String(describing: request.customRequest))",
    "idempotencyKey": "\(request.idempotencyKey)",
  ]
}

struct PlainRequest: Request { typealias Response = Int }

/// Differs from the default in every member.
struct LoadedRequest: Request {
  typealias Response = Int

  struct Watcher: Accessory { var name = "watcher" }
  struct Serializer: ResponseSerializer {
    func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Int { 7 }
  }

  let log: Locked<[String]>
  private static let decoder = JSONDecoder()
  private static let encoder = JSONEncoder()

  var baseURL: URL? { URL(string: "http://base") }
  var path: String { "loaded" }
  var method: HTTPMethod { .put }
  var headers: HTTPHeaders { ["A": "1", "B": "2"] }
  var parameters: Parameters { ["p": 1] }
  var query: Parameters { ["q": 1] }
  var body: RequestBody { .text("loaded") }
  var requestSerializer: RequestSerializer { .json }
  var responseSerializer: any ResponseSerializer<Int> { Serializer() }
  var jsonCoding: JSONCoding? { .snakeCase }
  var jsonDecoder: JSONDecoder? { Self.decoder }
  var jsonEncoder: JSONEncoder? { Self.encoder }
  var validators: [any ResponseValidator] { [] }
  var retryPolicy: RetryPolicy { .none }
  var mockPolicy: MockPolicy { .always }
  var redirectPolicy: RedirectPolicy { .none }
  var authentication: Authentication { .none }
  var coalescing: CoalescingPolicy { .whileInFlight }
  var timeout: Duration { .seconds(1) }
  var deadline: Duration? { .seconds(2) }
  var priority: RequestPriority { .high }
  var cookies: CookiePolicy { .none }
  var limitKey: String? { "loaded" }
  var networkAccess: NetworkAccess { .cellular }
  var isSerial: Bool { true }
  var limits: TransferLimits? { TransferLimits() }
  var usesCDN: Bool { true }
  var cdnURL: URL? { URL(string: "http://cdn") }
  var tag: Int { 3 }
  var userInfo: [String: any Sendable] { ["k": 1] }
  var accessories: [any Accessory] { [Watcher()] }
  var comment: String? { "loaded" }
  var urlTemplate: String? { "/loaded" }
  var secrets: [Secret] { ["loaded"] }
  var idempotencyKey: IdempotencyKey { .automatic }
  var customRequest: HTTPRequest? { URL(string: "http://custom").map { HTTPRequest(url: $0) } }

  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    log.withLock { $0.append("filterRequest") }
    request.headers["filtered"] = "1"
  }

  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    log.withLock { $0.append("redirectDecision") }
    request.headers["redirected"] = "1"
    return .stop
  }

  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    log.withLock { $0.append("mockResponse") }
    return HTTPResponse(status: 298)
  }

  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    log.withLock { $0.append("filterResponse") }
    response.status = 299
  }

  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    log.withLock { $0.append("retryDecision") }
    return .retry(after: .seconds(9))
  }

  func preprocess(_ outcome: Outcome<Int>, context: RequestContext) async {
    log.withLock { $0.append("preprocess") }
  }

  func filter(_ outcome: Outcome<Int>, context: RequestContext) async -> Outcome<Int> {
    log.withLock { $0.append("filter") }
    return .success(42)
  }

  func completed(_ outcome: Outcome<Int>, context: RequestContext) async {
    log.withLock { $0.append("completed") }
  }
}
