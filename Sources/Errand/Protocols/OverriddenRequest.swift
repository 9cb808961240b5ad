public import ErrandJSON
public import Foundation

/// A request with members changed by ``Request/with(_:_:)``.
public struct OverriddenRequest<Base: Request>: RequestWrapper {
  /// The response of ``base``.
  public typealias Response = Base.Response

  /// The unchanged request.
  public let base: Base
  /// The changes.
  public private(set) var overrides: RequestOverrides

  init(base: Base, overrides: RequestOverrides) {
    self.base = base
    self.overrides = overrides
  }

  var wrapped: any Request { (base as? any RequestWrapper)?.wrapped ?? base }

  var hiddenHeaders: [String] {
    overrides.hiddenHeaders ?? (base as? any RequestWrapper)?.hiddenHeaders ?? []
  }

  func overrides<Value>(_ member: KeyPath<RequestOverrides, Value?>) -> Bool {
    overrides[keyPath: member] != nil || (base as? any RequestWrapper)?.overrides(member) ?? false
  }

  /// Returns the request with a further change.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Base> {
    var copy = self
    copy.overrides[keyPath: member] = value
    return copy
  }

  /// Forwards to ``base``.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try await base.filterRequest(&request, context: context)
  }

  /// Forwards to ``base``.
  public func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    try await base.redirectDecision(to: &request, from: response, context: context)
  }

  /// Forwards to ``base``.
  public func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    try await base.mockResponse(for: request, context: context)
  }

  /// Forwards to ``base``.
  public func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    try await base.filterResponse(&response, context: context)
  }

  /// Forwards to ``base``.
  public func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    await base.retryDecision(for: error, suggested: suggested, context: context)
  }

  /// Forwards to ``base``.
  public func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.preprocess(outcome, context: context)
  }

  /// Forwards to ``base``.
  public func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response> {
    await base.filter(outcome, context: context)
  }

  /// Forwards to ``base``.
  public func completed(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.completed(outcome, context: context)
  }

  /// Forwards to ``base``.
  public func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async {
    await base.streamed(outcome, context: context)
  }
}

// A requirement missing here would silently get the default of ``Request``, if any.
extension OverriddenRequest {
  /// The override, or else the value of ``base``.
  public var baseURL: URL? { overrides.baseURL ?? base.baseURL }
  /// The override, or else the value of ``base``.
  public var path: String { overrides.path ?? base.path }
  /// The override, or else the value of ``base``.
  public var method: HTTPMethod { overrides.method ?? base.method }
  /// The headers of ``base``, with the overriding fields.
  public var headers: HTTPHeaders {
    overrides.headers.map { base.headers.merging($0) } ?? base.headers
  }
  /// The override, or else the value of ``base``.
  public var parameters: Parameters { overrides.parameters ?? base.parameters }
  /// The override, or else the value of ``base``.
  public var query: Parameters { overrides.query ?? base.query }
  /// The override, or else the value of ``base``.
  public var body: RequestBody { overrides.body ?? base.body }
  /// The override, or else the value of ``base``.
  public var trailers: RequestTrailers { overrides.trailers ?? base.trailers }
  /// The override, or else the value of ``base``.
  public var requestSerializer: RequestSerializer { overrides.requestSerializer ?? base.requestSerializer }
  /// The override, or else the value of ``base``.
  public var jsonCoding: JSONCoding? { overrides.jsonCoding ?? base.jsonCoding }
  /// The override, or else the decoder of ``base``.
  ///
  /// If only the JSON coding is overridden, the decoder is `nil`.
  public var jsonDecoder: JSONDecoder? {
    overrides.jsonDecoder ?? (overrides.jsonCoding == nil ? base.jsonDecoder : nil)
  }
  /// The override, or else the encoder of ``base``.
  ///
  /// If only the JSON coding is overridden, the encoder is `nil`.
  public var jsonEncoder: JSONEncoder? {
    overrides.jsonEncoder ?? (overrides.jsonCoding == nil ? base.jsonEncoder : nil)
  }
  /// The override, or else the value of ``base``.
  public var validators: [any ResponseValidator] { overrides.validators ?? base.validators }
  /// The override, or else the value of ``base``.
  public var retryPolicy: RetryPolicy { overrides.retryPolicy ?? base.retryPolicy }
  /// The override, or else the value of ``base``.
  public var redirectPolicy: RedirectPolicy { overrides.redirectPolicy ?? base.redirectPolicy }
  /// The override, or else the value of ``base``.
  public var mockPolicy: MockPolicy { overrides.mockPolicy ?? base.mockPolicy }
  /// The override, or else the value of ``base``.
  public var authentication: Authentication { overrides.authentication ?? base.authentication }
  /// The override, or else the value of ``base``.
  public var coalescing: CoalescingPolicy { overrides.coalescing ?? base.coalescing }
  /// The override, or else the value of ``base``.
  public var timeout: Duration { overrides.timeout ?? base.timeout }
  /// The override, or else the value of ``base``.
  public var deadline: Duration? { overrides.deadline ?? base.deadline }
  /// The override, or else the value of ``base``.
  public var priority: RequestPriority { overrides.priority ?? base.priority }
  /// The override, or else the value of ``base``.
  public var limitKey: String? { overrides.limitKey ?? base.limitKey }
  /// The override, or else the value of ``base``.
  public var cookies: CookiePolicy { overrides.cookies ?? base.cookies }
  /// The override, completed by the policy of ``base``; without an override, the policy of ``base``.
  public var cachePolicy: CachePolicy {
    overrides.cachePolicy?.completed(by: base.cachePolicy) ?? base.cachePolicy
  }
  /// The override, or else the value of ``base``.
  public var networkAccess: NetworkAccess { overrides.networkAccess ?? base.networkAccess }
  /// The override, or else the value of ``base``.
  public var isSerial: Bool { overrides.isSerial ?? base.isSerial }
  /// The override, or else the value of ``base``.
  public var limits: TransferLimits? { overrides.limits ?? base.limits }
  /// The override, or else the value of ``base``.
  public var usesCDN: Bool { overrides.usesCDN ?? base.usesCDN }
  /// The override, or else the value of ``base``.
  public var cdnURL: URL? { overrides.cdnURL ?? base.cdnURL }
  /// The override, or else the value of ``base``.
  public var tag: Int { overrides.tag ?? base.tag }
  /// The override, or else the value of ``base``.
  public var userInfo: [String: any Sendable] { overrides.userInfo ?? base.userInfo }
  /// The override, or else the value of ``base``.
  public var accessories: [any Accessory] { overrides.accessories ?? base.accessories }
  /// The secrets of ``base``, with the added secrets.
  public var secrets: [Secret] { base.secrets + (overrides.secrets ?? []) }
  /// The override, or else the value of ``base``.
  public var comment: String? { overrides.comment ?? base.comment }
  /// The override, or else the value of ``base``.
  public var urlTemplate: String? { overrides.urlTemplate ?? base.urlTemplate }
  /// The override, or else the value of ``base``.
  public var idempotencyKey: IdempotencyKey { overrides.idempotencyKey ?? base.idempotencyKey }
  /// The serializer of ``base``.
  public var responseSerializer: any ResponseSerializer<Response> { base.responseSerializer }
  /// The override, or else the value of ``base``.
  public var customRequest: HTTPRequest? { overrides.customRequest ?? base.customRequest }
  /// The ``Request/domainProperties`` of ``base``.
  public static var domainProperties: Set<String> { Base.domainProperties }
}

extension OverriddenRequest: PrintedByDescription {
  /// The redacted description of ``base``, without the overrides.
  public var description: String {
    Redaction.standard.hidingSecrets(of: self).text(String(describing: base)).printed
  }
  /// A redacted mirror.
  public var customMirror: Mirror { Mirror(self, children: ["base": description, "overrides": overrides]) }
}

/// Changes to members of a request; see ``Request/with(_:_:)``.
///
/// `nil` overrides an optional member: `.with(\.deadline, nil)` removes the deadline. The response serializer
/// and the hooks cannot be overridden.
public struct RequestOverrides: Sendable {
  /// Replaces the base URL; `nil` selects the agent's base URL.
  public var baseURL: URL??
  /// Replaces the path.
  public var path: String?
  /// Replaces the method.
  public var method: HTTPMethod?
  /// Adds headers, which replace headers of the same names.
  public var headers: HTTPHeaders?
  /// Replaces the request's parameters.
  public var parameters: Parameters?
  /// Replaces the request's `query`.
  public var query: Parameters?
  /// Replaces the body.
  public var body: RequestBody?
  /// Replaces all trailers.
  public var trailers: RequestTrailers?
  /// Replaces the serializer of the parameters.
  public var requestSerializer: RequestSerializer?
  /// Replaces the JSON coding; `nil` selects the agent's coding.
  ///
  /// Also removes the JSON decoder and encoder of the base request.
  public var jsonCoding: JSONCoding??
  /// Replaces the JSON decoder; `nil` selects the JSON coding.
  ///
  /// Errand copies the decoder, except an object of a subclass of `JSONDecoder`.
  public var jsonDecoder: JSONDecoder?? { didSet { jsonDecoder = jsonDecoder.map { $0?.snapshot } } }
  /// Replaces the JSON encoder; `nil` selects the JSON coding.
  ///
  /// Errand copies the encoder, except an object of a subclass of `JSONEncoder`.
  public var jsonEncoder: JSONEncoder?? { didSet { jsonEncoder = jsonEncoder.map { $0?.snapshot } } }
  /// Replaces all validators.
  public var validators: [any ResponseValidator]?
  /// Replaces the retry policy.
  public var retryPolicy: RetryPolicy?
  /// Replaces the redirect policy.
  public var redirectPolicy: RedirectPolicy?
  /// Replaces the mock policy.
  public var mockPolicy: MockPolicy?
  /// Replaces the authentication.
  public var authentication: Authentication?
  /// Replaces the coalescing policy.
  public var coalescing: CoalescingPolicy?
  /// Replaces the timeout.
  public var timeout: Duration?
  /// Replaces the deadline; `nil` also removes the agent's deadline.
  public var deadline: Duration??
  /// Replaces the priority.
  public var priority: RequestPriority?
  /// Replaces the limit key.
  public var limitKey: String??
  /// Replaces the cookie policy.
  public var cookies: CookiePolicy?
  /// Replaces the cache policy; see ``CachePolicy`` for exceptions.
  public var cachePolicy: CachePolicy?
  /// Replaces the allowed kinds of network.
  public var networkAccess: NetworkAccess?
  /// Replaces ``Request/isSerial``.
  public var isSerial: Bool?
  /// Replaces all limits; `nil` selects the agent's limits.
  public var limits: TransferLimits??
  /// Replaces ``Request/usesCDN``.
  public var usesCDN: Bool?
  /// Replaces the CDN URL; `nil` selects the agent's CDN URL.
  public var cdnURL: URL??
  /// Replaces the tag.
  public var tag: Int?
  /// Replaces all user info.
  public var userInfo: [String: any Sendable]?
  /// Replaces the request's accessories.
  public var accessories: [any Accessory]?
  /// Adds secrets to hide.
  public var secrets: [Secret]?
  /// Replaces the comment.
  public var comment: String??
  /// Replaces the path template for telemetry.
  public var urlTemplate: String??
  /// Replaces the idempotency key.
  public var idempotencyKey: IdempotencyKey?
  /// Replaces the whole request, for example in a resumable upload.
  var customRequest: HTTPRequest?
  var hiddenHeaders: [String]?

  /// Creates empty overrides.
  public init() {}
}

extension Request {
  /// Returns the request with a member changed: `GetUser(id: 7).with(\.timeout, .seconds(5))`.
  ///
  /// The last call for a member wins. Headers, secrets and some cache policies are combined with the values
  /// of the request. Members such as path, headers and body do not change a ``customRequest``.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Self> {
    OverriddenRequest(base: self, overrides: RequestOverrides()).with(member, value)
  }
}

extension RequestOverrides: PrintedByDescription {
  /// `overrides`, without values.
  public var description: String { "overrides" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
