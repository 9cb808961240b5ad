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

// A requirement missing here would silently get its default, if any, from ``Request``.
extension OverriddenRequest {
  /// See ``RequestOverrides``.
  public var baseURL: URL? { overrides.baseURL ?? base.baseURL }
  /// See ``RequestOverrides``.
  public var path: String { overrides.path ?? base.path }
  /// See ``RequestOverrides``.
  public var method: HTTPMethod { overrides.method ?? base.method }
  /// See ``RequestOverrides``.
  public var headers: HTTPHeaders {
    overrides.headers.map { base.headers.merging($0) } ?? base.headers
  }
  /// See ``RequestOverrides``.
  public var parameters: Parameters { overrides.parameters ?? base.parameters }
  /// See ``RequestOverrides``.
  public var query: Parameters { overrides.query ?? base.query }
  /// See ``RequestOverrides``.
  public var body: RequestBody { overrides.body ?? base.body }
  /// See ``RequestOverrides``.
  public var trailers: RequestTrailers { overrides.trailers ?? base.trailers }
  /// See ``RequestOverrides``.
  public var requestSerializer: RequestSerializer { overrides.requestSerializer ?? base.requestSerializer }
  /// See ``RequestOverrides``.
  public var jsonCoding: JSONCoding? { overrides.jsonCoding ?? base.jsonCoding }
  /// See ``RequestOverrides``.
  public var jsonDecoder: JSONDecoder? {
    overrides.jsonDecoder ?? (overrides.jsonCoding == nil ? base.jsonDecoder : nil)
  }
  /// See ``RequestOverrides``.
  public var jsonEncoder: JSONEncoder? {
    overrides.jsonEncoder ?? (overrides.jsonCoding == nil ? base.jsonEncoder : nil)
  }
  /// See ``RequestOverrides``.
  public var validators: [any ResponseValidator] { overrides.validators ?? base.validators }
  /// See ``RequestOverrides``.
  public var retryPolicy: RetryPolicy { overrides.retryPolicy ?? base.retryPolicy }
  /// See ``RequestOverrides``.
  public var redirectPolicy: RedirectPolicy { overrides.redirectPolicy ?? base.redirectPolicy }
  /// See ``RequestOverrides``.
  public var mockPolicy: MockPolicy { overrides.mockPolicy ?? base.mockPolicy }
  /// See ``RequestOverrides``.
  public var authentication: Authentication { overrides.authentication ?? base.authentication }
  /// See ``RequestOverrides``.
  public var coalescing: CoalescingPolicy { overrides.coalescing ?? base.coalescing }
  /// See ``RequestOverrides``.
  public var timeout: Duration { overrides.timeout ?? base.timeout }
  /// See ``RequestOverrides``.
  public var deadline: Duration? { overrides.deadline ?? base.deadline }
  /// See ``RequestOverrides``.
  public var priority: RequestPriority { overrides.priority ?? base.priority }
  /// See ``RequestOverrides``.
  public var limitKey: String? { overrides.limitKey ?? base.limitKey }
  /// See ``RequestOverrides``.
  public var cookies: CookiePolicy { overrides.cookies ?? base.cookies }
  /// See ``RequestOverrides``.
  public var cachePolicy: CachePolicy {
    overrides.cachePolicy?.completed(by: base.cachePolicy) ?? base.cachePolicy
  }
  /// See ``RequestOverrides``.
  public var networkAccess: NetworkAccess { overrides.networkAccess ?? base.networkAccess }
  /// See ``RequestOverrides``.
  public var isSerial: Bool { overrides.isSerial ?? base.isSerial }
  /// See ``RequestOverrides``.
  public var limits: TransferLimits? { overrides.limits ?? base.limits }
  /// See ``RequestOverrides``.
  public var usesCDN: Bool { overrides.usesCDN ?? base.usesCDN }
  /// See ``RequestOverrides``.
  public var cdnURL: URL? { overrides.cdnURL ?? base.cdnURL }
  /// See ``RequestOverrides``.
  public var tag: Int { overrides.tag ?? base.tag }
  /// See ``RequestOverrides``.
  public var userInfo: [String: any Sendable] { overrides.userInfo ?? base.userInfo }
  /// See ``RequestOverrides``.
  public var accessories: [any Accessory] { overrides.accessories ?? base.accessories }
  /// See ``RequestOverrides``.
  public var secrets: [Secret] { base.secrets + (overrides.secrets ?? []) }
  /// See ``RequestOverrides``.
  public var comment: String? { overrides.comment ?? base.comment }
  /// See ``RequestOverrides``.
  public var urlTemplate: String? { overrides.urlTemplate ?? base.urlTemplate }
  /// See ``RequestOverrides``.
  public var idempotencyKey: IdempotencyKey { overrides.idempotencyKey ?? base.idempotencyKey }
  /// The serializer of ``base``.
  public var responseSerializer: any ResponseSerializer<Response> { base.responseSerializer }
  /// See ``RequestOverrides``.
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
/// `nil` overrides an optional member: `.with(\.deadline, nil)` lifts the deadline. The response serializer
/// and the hooks cannot be overridden.
public struct RequestOverrides: Sendable {
  /// Replaces the base URL; `nil` selects the agent's.
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
  /// Replaces the coding, and the decoder and encoder of the base request; `nil` selects the agent's coding.
  public var jsonCoding: JSONCoding??
  /// Replaces the decoder by a copy of the given decoder; `nil` selects the coding.
  ///
  /// An object of a subclass of `JSONDecoder` is not copied.
  public var jsonDecoder: JSONDecoder?? { didSet { jsonDecoder = jsonDecoder.map { $0?.snapshot } } }
  /// Replaces the encoder; the rules of ``jsonDecoder`` apply.
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
  /// Replaces the deadline; `nil` also lifts the agent's.
  public var deadline: Duration??
  /// Replaces the priority.
  public var priority: RequestPriority?
  /// Replaces the limit key.
  public var limitKey: String??
  /// Replaces the cookie policy.
  public var cookies: CookiePolicy?
  /// Replaces the cache policy, with the exceptions that ``CachePolicy`` states.
  public var cachePolicy: CachePolicy?
  /// Replaces the allowed kinds of network.
  public var networkAccess: NetworkAccess?
  /// Replaces ``Request/isSerial``.
  public var isSerial: Bool?
  /// Replaces all limits; `nil` selects the agent's.
  public var limits: TransferLimits??
  /// Replaces ``Request/usesCDN``.
  public var usesCDN: Bool?
  /// Replaces the CDN URL; `nil` selects the agent's.
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
  /// Replaces the telemetry template.
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
  /// The last call for a member wins. Headers, secrets and some cache policies are combined with the request's
  /// own. Members such as path, headers and body do not change a ``customRequest``.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Self> {
    OverriddenRequest(base: self, overrides: RequestOverrides()).with(member, value)
  }
}

extension RequestOverrides: PrintedByDescription {
  /// `overrides`, without values.
  public var description: String { "overrides" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
