public import ErrandJSON
public import Foundation

extension Request {
  /// `nil`.
  public var baseURL: URL? { nil }
  /// Empty.
  public var path: String { "" }
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// Empty.
  public var headers: HTTPHeaders { HTTPHeaders() }
  /// Empty.
  public var parameters: Parameters { Parameters() }
  /// Empty.
  public var query: Parameters { Parameters() }
  /// `.automatic`.
  public var body: RequestBody { .automatic }
  /// `.none`.
  public var trailers: RequestTrailers { .none }
  /// `.form`.
  public var requestSerializer: RequestSerializer { .form }
  /// `nil`.
  public var jsonCoding: JSONCoding? { nil }
  /// `nil`.
  public var jsonDecoder: JSONDecoder? { nil }
  /// `nil`.
  public var jsonEncoder: JSONEncoder? { nil }
  /// `.inherited`.
  public var retryPolicy: RetryPolicy { .inherited }
  /// `.inherited`.
  public var redirectPolicy: RedirectPolicy { .inherited }
  /// `.never`.
  public var mockPolicy: MockPolicy { .never }
  /// `.inherited`.
  public var authentication: Authentication { .inherited }
  /// `.none`.
  public var coalescing: CoalescingPolicy { .none }
  /// The agent's timeout.
  public var timeout: Duration { .unstatedTimeout }
  /// `nil`.
  public var deadline: Duration? { nil }
  /// `.default`.
  public var priority: RequestPriority { .default }
  /// `nil`: no key.
  public var limitKey: String? { nil }
  /// `.inherited`.
  public var cookies: CookiePolicy { .inherited }
  /// `.inherited`.
  public var cachePolicy: CachePolicy { .inherited }
  /// `.all`.
  public var networkAccess: NetworkAccess { .all }
  /// `false`.
  public var isSerial: Bool { false }
  /// `nil`.
  public var limits: TransferLimits? { nil }
  /// `false`.
  public var usesCDN: Bool { false }
  /// `nil`.
  public var cdnURL: URL? { nil }
  /// 0.
  public var tag: Int { 0 }
  /// Empty.
  public var userInfo: [String: any Sendable] { [:] }
  /// Empty.
  public var accessories: [any Accessory] { [] }
  /// Empty.
  public var secrets: [Secret] { [] }
  /// `nil`.
  public var comment: String? { nil }
  /// `nil`.
  public var urlTemplate: String? { nil }
  /// `nil`.
  public var customRequest: HTTPRequest? { nil }
  /// `.none`.
  public var idempotencyKey: IdempotencyKey { .none }
  /// Empty.
  public static var domainProperties: Set<String> { [] }

  /// Leaves the request unchanged.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {}
  /// Returns `.follow`.
  public func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision { .follow }
  /// Returns `nil`.
  public func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    nil
  }
  /// Leaves the response unchanged.
  public func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {}
  /// Returns the suggestion.
  public func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision { suggested }
  /// Has no effect.
  public func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async {}
  /// Returns the outcome unchanged.
  public func filter(
    _ outcome: Outcome<Response>, context: RequestContext
  ) async -> Outcome<Response> { outcome }
  /// Has no effect.
  public func completed(_ outcome: Outcome<Response>, context: RequestContext) async {}
  /// Has no effect.
  public func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async {}
}

extension Request where Response == Data {
  /// The serializer for the bytes of the body.
  public var responseSerializer: any ResponseSerializer<Response> { .data }
}

extension Request where Response == String {
  /// The serializer for the body as text.
  public var responseSerializer: any ResponseSerializer<Response> { .text }
}

extension Request where Response == Void {
  /// A serializer that ignores the body.
  public var responseSerializer: any ResponseSerializer<Response> { .none }
}

extension Request where Response == HTTPResponse {
  /// The serializer for the whole response.
  public var responseSerializer: any ResponseSerializer<Response> { .response }
}

/// A request whose hooks `filter` and `completed` run on the main actor.
///
/// ```swift
/// struct GetUser: MainActorRequest {
///   typealias Response = User
///   let profile: Profile                  // a @MainActor class
///   let path = "user"
///   func completed(_ outcome: Outcome<User>, context: RequestContext) async {
///     profile.user = outcome.value
///   }
/// }
/// ```
///
/// For a whole app, declare a protocol that refines `MainActorRequest`. Do slow work in a `nonisolated`
/// `preprocess`, so that the main actor stays free.
public protocol MainActorRequest: Request {
  /// Returns the outcome or a replacement, on the main actor.
  @MainActor func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response>

  /// Receives the outcome on the main actor.
  @MainActor func completed(_ outcome: Outcome<Response>, context: RequestContext) async
}

extension Duration {
  /// A value that stands for the agent's timeout.
  ///
  /// The attosecond distinguishes the value from a request's own timeout of 60 seconds.
  static var unstatedTimeout: Duration { Duration(secondsComponent: 60, attosecondsComponent: 1) }
}
