public import ErrandJSON
public import Foundation

/// A request with members changed for one call, made by ``Request/with(_:_:)``.
///
/// An override of the JSON coding also replaces the base request's decoder and encoder.
public struct OverriddenRequest<Base: Request>: RequestWrapper {
  /// The response of the base request.
  public typealias Response = Base.Response

  /// The request without these overrides.
  public let base: Base
  /// The members changed for this call.
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

  /// Returns the request with a further member changed.
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

// A requirement missing here would silently get the default of ``Request``.
extension OverriddenRequest {
  /// The overriding or the base value.
  public var baseURL: URL? { overrides.baseURL ?? base.baseURL }
  /// The overriding or the base value.
  public var path: String { overrides.path ?? base.path }
  /// The overriding or the base value.
  public var method: HTTPMethod { overrides.method ?? base.method }
  /// The base headers; an overriding header replaces the same name.
  public var headers: HTTPHeaders {
    overrides.headers.map { base.headers.merging($0) } ?? base.headers
  }
  /// The overriding or the base value.
  public var parameters: Parameters { overrides.parameters ?? base.parameters }
  /// The overriding or the base value.
  public var query: Parameters { overrides.query ?? base.query }
  /// The overriding or the base value.
  public var body: RequestBody { overrides.body ?? base.body }
  /// The overriding or the base value.
  public var trailers: RequestTrailers { overrides.trailers ?? base.trailers }
  /// The overriding or the base value.
  public var requestSerializer: RequestSerializer { overrides.requestSerializer ?? base.requestSerializer }
  /// The overriding or the base value.
  public var jsonCoding: JSONCoding? { overrides.jsonCoding ?? base.jsonCoding }
  /// The overriding decoder; without any override of the coding, the base decoder.
  public var jsonDecoder: JSONDecoder? {
    overrides.jsonDecoder ?? (overrides.jsonCoding == nil ? base.jsonDecoder : nil)
  }
  /// The overriding encoder; without any override of the coding, the base encoder.
  public var jsonEncoder: JSONEncoder? {
    overrides.jsonEncoder ?? (overrides.jsonCoding == nil ? base.jsonEncoder : nil)
  }
  /// The overriding or the base value.
  public var validators: [any ResponseValidator] { overrides.validators ?? base.validators }
  /// The overriding or the base value.
  public var retryPolicy: RetryPolicy { overrides.retryPolicy ?? base.retryPolicy }
  /// The overriding or the base value.
  public var redirectPolicy: RedirectPolicy { overrides.redirectPolicy ?? base.redirectPolicy }
  /// The overriding or the base value.
  public var mockPolicy: MockPolicy { overrides.mockPolicy ?? base.mockPolicy }
  /// The overriding or the base value.
  public var authentication: Authentication { overrides.authentication ?? base.authentication }
  /// The overriding or the base value.
  public var coalescing: CoalescingPolicy { overrides.coalescing ?? base.coalescing }
  /// The overriding or the base value.
  public var timeout: Duration { overrides.timeout ?? base.timeout }
  /// The overriding or the base value.
  public var deadline: Duration? { overrides.deadline ?? base.deadline }
  /// The overriding or the base value.
  public var priority: RequestPriority { overrides.priority ?? base.priority }
  /// The overriding or the base value.
  public var cookies: CookiePolicy { overrides.cookies ?? base.cookies }
  /// The overriding policy, completed by the base policy; see ``CachePolicy``.
  public var cachePolicy: CachePolicy {
    overrides.cachePolicy?.completed(by: base.cachePolicy) ?? base.cachePolicy
  }
  /// The overriding or the base value.
  public var networkAccess: NetworkAccess { overrides.networkAccess ?? base.networkAccess }
  /// The overriding or the base value.
  public var isSerial: Bool { overrides.isSerial ?? base.isSerial }
  /// The overriding or the base value.
  public var limits: TransferLimits? { overrides.limits ?? base.limits }
  /// The overriding or the base value.
  public var usesCDN: Bool { overrides.usesCDN ?? base.usesCDN }
  /// The overriding or the base value.
  public var cdnURL: URL? { overrides.cdnURL ?? base.cdnURL }
  /// The overriding or the base value.
  public var tag: Int { overrides.tag ?? base.tag }
  /// The overriding or the base value.
  public var userInfo: [String: any Sendable] { overrides.userInfo ?? base.userInfo }
  /// The overriding or the base value.
  public var accessories: [any Accessory] { overrides.accessories ?? base.accessories }
  /// The base secrets and the added secrets.
  public var secrets: [Secret] { base.secrets + (overrides.secrets ?? []) }
  /// The overriding or the base value.
  public var comment: String? { overrides.comment ?? base.comment }
  /// The overriding or the base value.
  public var urlTemplate: String? { overrides.urlTemplate ?? base.urlTemplate }
  /// The overriding or the base value.
  public var idempotencyKey: IdempotencyKey { overrides.idempotencyKey ?? base.idempotencyKey }
  /// The base serializer.
  public var responseSerializer: any ResponseSerializer<Response> { base.responseSerializer }
  /// The overriding or the base value.
  public var customRequest: HTTPRequest? { overrides.customRequest ?? base.customRequest }
  /// The names of the base type.
  public static var domainProperties: Set<String> { Base.domainProperties }
}

extension OverriddenRequest: PrintedByDescription {
  /// The description of the base request, redacted by ``Redaction/standard``.
  ///
  /// Overrides are left out, because an override may be secret.
  public var description: String {
    Redaction.standard.hidingSecrets(of: self).text(String(describing: base)).printed
  }
  /// A mirror without the values of the overrides, for `dump`.
  public var customMirror: Mirror { Mirror(self, children: ["base": description, "overrides": overrides]) }
}

/// Changes to a request for one call; see ``Request/with(_:_:)``.
///
/// `nil` overrides an optional member: `.with(\.deadline, nil)` lifts the deadline. The response serializer
/// and the hooks cannot be overridden.
public struct RequestOverrides: Sendable {
  /// Replaces the base URL; an explicit `nil` selects the agent's.
  public var baseURL: URL??
  /// Replaces the path.
  public var path: String?
  /// Replaces the method.
  public var method: HTTPMethod?
  /// Replaces headers of the same names.
  public var headers: HTTPHeaders?
  /// Replaces all parameters.
  public var parameters: Parameters?
  /// Replaces the whole query.
  public var query: Parameters?
  /// Replaces the body.
  public var body: RequestBody?
  /// Replaces all trailers.
  public var trailers: RequestTrailers?
  /// Replaces the serializer of the parameters.
  public var requestSerializer: RequestSerializer?
  /// Replaces coding, decoder and encoder; an explicit `nil` selects the agent's coding.
  public var jsonCoding: JSONCoding??
  /// Replaces the decoder; an explicit `nil` selects the coding.
  ///
  /// The assignment copies the decoder with its current settings, except an instance of a subclass.
  public var jsonDecoder: JSONDecoder?? { didSet { jsonDecoder = jsonDecoder.map { $0?.snapshot } } }
  /// Replaces the encoder, copied like ``jsonDecoder``; an explicit `nil` selects the coding.
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
  /// Replaces the deadline; an explicit `nil` also lifts the agent's.
  public var deadline: Duration??
  /// Replaces the priority.
  public var priority: RequestPriority?
  /// Replaces the cookie policy.
  public var cookies: CookiePolicy?
  /// Replaces the cache policy; storage rules may still apply, see ``CachePolicy``.
  public var cachePolicy: CachePolicy?
  /// Replaces the kinds of network.
  public var networkAccess: NetworkAccess?
  /// Replaces ``Request/isSerial``.
  public var isSerial: Bool?
  /// Replaces all limits; an explicit `nil` selects the agent's.
  public var limits: TransferLimits??
  /// Replaces ``Request/usesCDN``.
  public var usesCDN: Bool?
  /// Replaces the CDN URL; an explicit `nil` selects the agent's.
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
  /// Replaces the template for telemetry.
  public var urlTemplate: String??
  /// Replaces the idempotency key.
  public var idempotencyKey: IdempotencyKey?
  /// Internal, for protocols such as resumable uploads.
  var customRequest: HTTPRequest?
  var hiddenHeaders: [String]?

  /// Creates empty overrides.
  public init() {}
}

extension Request {
  /// Returns the request with a member changed: `GetUser(id: 7).with(\.timeout, .seconds(5))`.
  ///
  /// Chain calls to change more members of ``RequestOverrides``; the last call for a member wins. Headers,
  /// cache policy and secrets are combined with the request's own. Other members are replaced. Overrides of
  /// URL, method, headers, parameters, query, body and trailers do not change a ``customRequest``.
  /// ``RequestContext/request`` has no overrides.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Self> {
    OverriddenRequest(base: self, overrides: RequestOverrides()).with(member, value)
  }
}

extension RequestOverrides: PrintedByDescription {
  /// `overrides`, because a member may hold a secret.
  public var description: String { "overrides" }
  /// An empty mirror, for `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
