public import ErrandJSON
public import Foundation

/// A request with members changed for one call, made by ``Request/with(_:_:)``.
///
/// The hooks, and the members without an override, come from the base request. An override of the JSON coding
/// also replaces the base request's decoder and encoder.
public struct OverriddenRequest<Base: Request>: RequestWrapper {
  /// The response value of the base request.
  public typealias Response = Base.Response

  /// The request without the overrides of this value.
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

  /// Returns the same request with a further member changed.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Base> {
    var copy = self
    copy.overrides[keyPath: member] = value
    return copy
  }

  /// Calls `filterRequest` of the base request.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try await base.filterRequest(&request, context: context)
  }

  /// Calls `redirectDecision` of the base request.
  public func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    try await base.redirectDecision(to: &request, from: response, context: context)
  }

  /// Calls `mockResponse` of the base request.
  public func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    try await base.mockResponse(for: request, context: context)
  }

  /// Calls `filterResponse` of the base request.
  public func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    try await base.filterResponse(&response, context: context)
  }

  /// Calls `retryDecision` of the base request.
  public func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    await base.retryDecision(for: error, suggested: suggested, context: context)
  }

  /// Calls `preprocess` of the base request.
  public func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.preprocess(outcome, context: context)
  }

  /// Calls `filter` of the base request.
  public func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response> {
    await base.filter(outcome, context: context)
  }

  /// Calls `completed` of the base request.
  public func completed(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.completed(outcome, context: context)
  }

  /// Calls `streamed` of the base request.
  public func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async {
    await base.streamed(outcome, context: context)
  }
}

// Every requirement is listed: a missing requirement would silently fall back to the default of ``Request``.
extension OverriddenRequest {
  /// The overriding value, or the value of the base request.
  public var baseURL: URL? { overrides.baseURL ?? base.baseURL }
  /// The overriding value, or the value of the base request.
  public var path: String { overrides.path ?? base.path }
  /// The overriding value, or the value of the base request.
  public var method: HTTPMethod { overrides.method ?? base.method }
  /// The headers of the base request; an overriding header replaces the headers of the same name.
  public var headers: HTTPHeaders {
    overrides.headers.map { base.headers.merging($0) } ?? base.headers
  }
  /// The overriding value, or the value of the base request.
  public var parameters: Parameters { overrides.parameters ?? base.parameters }
  /// The overriding value, or the value of the base request.
  public var query: Parameters { overrides.query ?? base.query }
  /// The overriding value, or the value of the base request.
  public var body: RequestBody { overrides.body ?? base.body }
  /// The overriding value, or the value of the base request.
  public var trailers: RequestTrailers { overrides.trailers ?? base.trailers }
  /// The overriding value, or the value of the base request.
  public var requestSerializer: RequestSerializer { overrides.requestSerializer ?? base.requestSerializer }
  /// The overriding value, or the value of the base request.
  public var jsonCoding: JSONCoding? { overrides.jsonCoding ?? base.jsonCoding }
  /// The overriding decoder, or the decoder of the base request.
  ///
  /// An override of `jsonCoding` excludes the decoder of the base request.
  public var jsonDecoder: JSONDecoder? {
    overrides.jsonDecoder ?? (overrides.jsonCoding == nil ? base.jsonDecoder : nil)
  }
  /// The overriding encoder, or the encoder of the base request.
  ///
  /// An override of `jsonCoding` excludes the encoder of the base request.
  public var jsonEncoder: JSONEncoder? {
    overrides.jsonEncoder ?? (overrides.jsonCoding == nil ? base.jsonEncoder : nil)
  }
  /// The overriding value, or the value of the base request.
  public var validators: [any ResponseValidator] { overrides.validators ?? base.validators }
  /// The overriding value, or the value of the base request.
  public var retryPolicy: RetryPolicy { overrides.retryPolicy ?? base.retryPolicy }
  /// The overriding value, or the value of the base request.
  public var redirectPolicy: RedirectPolicy { overrides.redirectPolicy ?? base.redirectPolicy }
  /// The overriding value, or the value of the base request.
  public var mockPolicy: MockPolicy { overrides.mockPolicy ?? base.mockPolicy }
  /// The overriding value, or the value of the base request.
  public var authentication: Authentication { overrides.authentication ?? base.authentication }
  /// The overriding value, or the value of the base request.
  public var coalescing: CoalescingPolicy { overrides.coalescing ?? base.coalescing }
  /// The overriding value, or the value of the base request.
  public var timeout: Duration { overrides.timeout ?? base.timeout }
  /// The overriding value, or the value of the base request.
  public var deadline: Duration? { overrides.deadline ?? base.deadline }
  /// The overriding value, or the value of the base request.
  public var priority: RequestPriority { overrides.priority ?? base.priority }
  /// The overriding value, or the value of the base request.
  public var cookies: CookiePolicy { overrides.cookies ?? base.cookies }
  /// The overriding policy, completed by the base request's policy; see ``CachePolicy``.
  public var cachePolicy: CachePolicy {
    overrides.cachePolicy?.completed(by: base.cachePolicy) ?? base.cachePolicy
  }
  /// The overriding value, or the value of the base request.
  public var networkAccess: NetworkAccess { overrides.networkAccess ?? base.networkAccess }
  /// The overriding value, or the value of the base request.
  public var isSerial: Bool { overrides.isSerial ?? base.isSerial }
  /// The overriding value, or the value of the base request.
  public var limits: TransferLimits? { overrides.limits ?? base.limits }
  /// The overriding value, or the value of the base request.
  public var usesCDN: Bool { overrides.usesCDN ?? base.usesCDN }
  /// The overriding value, or the value of the base request.
  public var cdnURL: URL? { overrides.cdnURL ?? base.cdnURL }
  /// The overriding value, or the value of the base request.
  public var tag: Int { overrides.tag ?? base.tag }
  /// The overriding value, or the value of the base request.
  public var userInfo: [String: any Sendable] { overrides.userInfo ?? base.userInfo }
  /// The overriding value, or the value of the base request.
  public var accessories: [any Accessory] { overrides.accessories ?? base.accessories }
  /// The secrets of the base request, followed by the added secrets.
  public var secrets: [Secret] { base.secrets + (overrides.secrets ?? []) }
  /// The overriding value, or the value of the base request.
  public var comment: String? { overrides.comment ?? base.comment }
  /// The overriding value, or the value of the base request.
  public var urlTemplate: String? { overrides.urlTemplate ?? base.urlTemplate }
  /// The overriding value, or the value of the base request.
  public var idempotencyKey: IdempotencyKey { overrides.idempotencyKey ?? base.idempotencyKey }
  /// The serializer of the base request; a call cannot override the serializer.
  public var responseSerializer: any ResponseSerializer<Response> { base.responseSerializer }
  /// The overriding custom request, or the custom request of the base.
  public var customRequest: HTTPRequest? { overrides.customRequest ?? base.customRequest }
  /// The domain properties of the base request's type.
  public static var domainProperties: Set<String> { Base.domainProperties }
}

extension OverriddenRequest: PrintedByDescription {
  /// The description of the base request, redacted by ``Redaction/standard``.
  ///
  /// The overrides are left out, because any override may be secret.
  public var description: String {
    Redaction.standard.hidingSecrets(of: self).text(String(describing: base)).printed
  }
  /// A mirror for `dump` with the description; the child `overrides` shows no values.
  public var customMirror: Mirror { Mirror(self, children: ["base": description, "overrides": overrides]) }
}

/// The changes that one call makes to a request; see ``Request/with(_:_:)``.
///
/// A member without an override keeps the request's own value. `nil` overrides a member that is optional in
/// ``Request``: `.with(\.deadline, nil)` lifts the deadline, `.with(\.limits, nil)` selects the agent's
/// limits. The response serializer, the custom request and the hooks cannot be overridden.
public struct RequestOverrides: Sendable {
  /// Replaces the request's base URL; an explicit `nil` selects the agent's.
  public var baseURL: URL??
  /// Replaces the path.
  public var path: String?
  /// Replaces the method.
  public var method: HTTPMethod?
  /// Replaces the headers of the same names; headers with other names stay.
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
  /// Replaces the request's coding, decoder and encoder; an explicit `nil` selects the agent's coding.
  public var jsonCoding: JSONCoding??
  /// Replaces the request's decoder; an explicit `nil` selects the coding.
  ///
  /// The assignment copies a decoder with its current settings. An instance of a subclass is not copied.
  public var jsonDecoder: JSONDecoder?? { didSet { jsonDecoder = jsonDecoder.map { $0?.snapshot } } }
  /// Replaces the request's encoder; an explicit `nil` selects the coding.
  ///
  /// Copied like ``jsonDecoder``.
  public var jsonEncoder: JSONEncoder?? { didSet { jsonEncoder = jsonEncoder.map { $0?.snapshot } } }
  /// Replaces all validators.
  public var validators: [any ResponseValidator]?
  /// Replaces the request's retry policy.
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
  /// Replaces the request's deadline; an explicit `nil` also lifts the agent's deadline.
  public var deadline: Duration??
  /// Replaces the priority.
  public var priority: RequestPriority?
  /// Replaces the cookie policy.
  public var cookies: CookiePolicy?
  /// Replaces the cache policy; the request's storage rules may still apply, see ``CachePolicy``.
  public var cachePolicy: CachePolicy?
  /// Replaces the allowed kinds of network.
  public var networkAccess: NetworkAccess?
  /// Replaces ``Request/isSerial``.
  public var isSerial: Bool?
  /// Replaces all limits; an explicit `nil` selects the agent's limits.
  public var limits: TransferLimits??
  /// Replaces ``Request/usesCDN``.
  public var usesCDN: Bool?
  /// Replaces the request's CDN URL; an explicit `nil` selects the agent's.
  public var cdnURL: URL??
  /// Replaces the tag.
  public var tag: Int?
  /// Replaces all user info.
  public var userInfo: [String: any Sendable]?
  /// Replaces the request's accessories; the agent's accessories stay.
  public var accessories: [any Accessory]?
  /// Secrets to hide in addition to the request's own.
  public var secrets: [Secret]?
  /// Replaces the comment.
  public var comment: String??
  /// Replaces the template for telemetry.
  public var urlTemplate: String??
  /// Replaces the idempotency key.
  public var idempotencyKey: IdempotencyKey?
  /// Replaces the custom request; internal, for protocols such as resumable uploads.
  var customRequest: HTTPRequest?
  /// Names of header fields that are secret in this exchange.
  var hiddenHeaders: [String]?

  /// Creates overrides without a change.
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
  /// The text `overrides`; members are left out because any member may hold a secret.
  public var description: String { "overrides" }
  /// An empty mirror, to hide all members from `dump`.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
