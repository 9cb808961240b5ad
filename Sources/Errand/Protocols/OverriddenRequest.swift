public import ErrandJSON
public import Foundation

/// A request with members changed for one call; made by ``Request/with(_:_:)``.
///
/// Everything that is not overridden, hooks included, is the base's.
public struct OverriddenRequest<Base: Request>: RequestWrapper {
  /// The value of the base.
  public typealias Response = Base.Response

  /// The request as it was written.
  public let base: Base
  /// What is changed.
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

  /// The same request with one more member changed.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Base> {
    var copy = self
    copy.overrides[keyPath: member] = value
    return copy
  }

  /// Calls the base's.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    try await base.filterRequest(&request, context: context)
  }

  /// Asks the base's.
  public func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision {
    try await base.redirectDecision(to: &request, from: response, context: context)
  }

  /// Asks the base's.
  public func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
    try await base.mockResponse(for: request, context: context)
  }

  /// Calls the base's.
  public func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws {
    try await base.filterResponse(&response, context: context)
  }

  /// Asks the base's.
  public func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision {
    await base.retryDecision(for: error, suggested: suggested, context: context)
  }

  /// Calls the base's.
  public func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.preprocess(outcome, context: context)
  }

  /// Asks the base's.
  public func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response> {
    await base.filter(outcome, context: context)
  }

  /// Calls the base's.
  public func completed(_ outcome: Outcome<Response>, context: RequestContext) async {
    await base.completed(outcome, context: context)
  }

  /// Calls the base's.
  public func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async {
    await base.streamed(outcome, context: context)
  }
}

// Written out member by member: a requirement that is missing here would silently be its default.
extension OverriddenRequest {
  /// The overriding one, else the base's.
  public var baseURL: URL? { overrides.baseURL ?? base.baseURL }
  /// The overriding one, else the base's.
  public var path: String { overrides.path ?? base.path }
  /// The overriding one, else the base's.
  public var method: HTTPMethod { overrides.method ?? base.method }
  /// The base's, with the overriding ones merged over them.
  public var headers: HTTPHeaders {
    overrides.headers.map { base.headers.merging($0) } ?? base.headers
  }
  /// The overriding one, else the base's.
  public var parameters: Parameters { overrides.parameters ?? base.parameters }
  /// The overriding one, else the base's.
  public var query: Parameters { overrides.query ?? base.query }
  /// The overriding one, else the base's.
  public var body: RequestBody { overrides.body ?? base.body }
  /// The overriding ones, else the base's.
  public var trailers: RequestTrailers { overrides.trailers ?? base.trailers }
  /// The overriding one, else the base's.
  public var requestSerializer: RequestSerializer { overrides.requestSerializer ?? base.requestSerializer }
  /// The overriding one, else the base's.
  public var jsonCoding: JSONCoding? { overrides.jsonCoding ?? base.jsonCoding }
  /// The overriding one, else none with an overriding coding, else the base's.
  public var jsonDecoder: JSONDecoder? {
    overrides.jsonDecoder ?? (overrides.jsonCoding == nil ? base.jsonDecoder : nil)
  }
  /// The overriding one, else none with an overriding coding, else the base's.
  public var jsonEncoder: JSONEncoder? {
    overrides.jsonEncoder ?? (overrides.jsonCoding == nil ? base.jsonEncoder : nil)
  }
  /// The overriding one, else the base's.
  public var validators: [any ResponseValidator] { overrides.validators ?? base.validators }
  /// The overriding one, else the base's.
  public var retryPolicy: RetryPolicy { overrides.retryPolicy ?? base.retryPolicy }
  /// The overriding one, else the base's.
  public var redirectPolicy: RedirectPolicy { overrides.redirectPolicy ?? base.redirectPolicy }
  /// The overriding one, else the base's.
  public var mockPolicy: MockPolicy { overrides.mockPolicy ?? base.mockPolicy }
  /// The overriding one, else the base's.
  public var authentication: Authentication { overrides.authentication ?? base.authentication }
  /// The overriding one, else the base's.
  public var coalescing: CoalescingPolicy { overrides.coalescing ?? base.coalescing }
  /// The overriding one, else the base's.
  public var timeout: Duration { overrides.timeout ?? base.timeout }
  /// The overriding one, else the base's.
  public var deadline: Duration? { overrides.deadline ?? base.deadline }
  /// The overriding one, else the base's.
  public var priority: RequestPriority { overrides.priority ?? base.priority }
  /// The overriding one, else the base's.
  public var cookies: CookiePolicy { overrides.cookies ?? base.cookies }
  /// The overriding one, else the base's.
  public var cachePolicy: CachePolicy {
    overrides.cachePolicy?.completed(by: base.cachePolicy) ?? base.cachePolicy
  }
  /// The overriding one, else the base's.
  public var networkAccess: NetworkAccess { overrides.networkAccess ?? base.networkAccess }
  /// The overriding one, else the base's.
  public var isSerial: Bool { overrides.isSerial ?? base.isSerial }
  /// The overriding one, else the base's.
  public var limits: TransferLimits? { overrides.limits ?? base.limits }
  /// The overriding one, else the base's.
  public var usesCDN: Bool { overrides.usesCDN ?? base.usesCDN }
  /// The overriding one, else the base's.
  public var cdnURL: URL? { overrides.cdnURL ?? base.cdnURL }
  /// The overriding one, else the base's.
  public var tag: Int { overrides.tag ?? base.tag }
  /// The overriding one, else the base's.
  public var userInfo: [String: any Sendable] { overrides.userInfo ?? base.userInfo }
  /// The overriding one, else the base's.
  public var accessories: [any Accessory] { overrides.accessories ?? base.accessories }
  /// The base's, and the ones added.
  public var secrets: [Secret] { base.secrets + (overrides.secrets ?? []) }
  /// The overriding one, else the base's.
  public var comment: String? { overrides.comment ?? base.comment }
  /// The overriding one, else the base's.
  public var urlTemplate: String? { overrides.urlTemplate ?? base.urlTemplate }
  /// The overriding one, else the base's.
  public var idempotencyKey: IdempotencyKey { overrides.idempotencyKey ?? base.idempotencyKey }
  /// The base's.
  public var responseSerializer: any ResponseSerializer<Response> { base.responseSerializer }
  /// The base's.
  public var customRequest: HTTPRequest? { overrides.customRequest ?? base.customRequest }
  /// The base's.
  public static var domainProperties: Set<String> { Base.domainProperties }
}

extension OverriddenRequest: PrintedByDescription {
  /// The base, with the secrets of the call hidden in it too; never an override, as any may hold a secret.
  public var description: String {
    Redaction.standard.hidingSecrets(of: self).text(String(describing: base)).printed
  }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, children: ["base": description, "overrides": overrides]) }
}

/// What one call changes in a request; see ``Request/with(_:_:)``.
///
/// Every member is `nil` by default, which keeps the request's own. A member that is optional in ``Request`` takes a `nil` of its own:
/// `.with(\.deadline, nil)` lifts the deadline, and `.with(\.limits, nil)` takes the agent's limits. The type of the value is the
/// request's, so that its serializer cannot be overridden; neither can the hooks, which are the request's code.
public struct RequestOverrides: Sendable {
  /// Instead of the request's base, and the agent's.
  public var baseURL: URL??
  /// Instead of the path.
  public var path: String?
  /// Instead of the method.
  public var method: HTTPMethod?
  /// Merged over the headers, name by name: other names stay.
  public var headers: HTTPHeaders?
  /// Instead of the parameters, all of them.
  public var parameters: Parameters?
  /// Instead of the query, all of it.
  public var query: Parameters?
  /// Instead of the body.
  public var body: RequestBody?
  /// Instead of the trailers, all of them.
  public var trailers: RequestTrailers?
  /// Instead of the serializer of the parameters.
  public var requestSerializer: RequestSerializer?
  /// Instead of the request's coding, decoder and encoder, and the agent's.
  public var jsonCoding: JSONCoding??
  /// Instead of the request's decoder or coding, and the agent's.
  ///
  /// It is copied with the settings that it has when it is given; an object of a subclass is used itself.
  public var jsonDecoder: JSONDecoder?? { didSet { jsonDecoder = jsonDecoder.map { $0?.snapshot } } }
  /// Instead of the request's encoder or coding, and the agent's; copied like ``jsonDecoder``.
  public var jsonEncoder: JSONEncoder?? { didSet { jsonEncoder = jsonEncoder.map { $0?.snapshot } } }
  /// Instead of the validators, all of them.
  public var validators: [any ResponseValidator]?
  /// Instead of the retry policy.
  public var retryPolicy: RetryPolicy?
  /// Instead of the redirect policy.
  public var redirectPolicy: RedirectPolicy?
  /// Instead of the mock policy.
  public var mockPolicy: MockPolicy?
  /// Instead of the request's choice of credentials.
  public var authentication: Authentication?
  /// Instead of the request's choice to share transfers.
  public var coalescing: CoalescingPolicy?
  /// Instead of the timeout.
  public var timeout: Duration?
  /// Instead of the request's deadline, and the agent's; `.with(\.deadline, nil)` lifts both.
  public var deadline: Duration??
  /// Instead of the priority.
  public var priority: RequestPriority?
  /// Instead of the request's cookies.
  public var cookies: CookiePolicy?
  /// Instead of the request's cache policy; what it says nothing of stays, see ``CachePolicy``.
  public var cachePolicy: CachePolicy?
  /// Instead of the kinds of network.
  public var networkAccess: NetworkAccess?
  /// Instead of the choice whether it runs alone.
  public var isSerial: Bool?
  /// Instead of the request's limits, and the agent's, all of them.
  public var limits: TransferLimits??
  /// Instead of the choice of base.
  public var usesCDN: Bool?
  /// Instead of the request's CDN base, and the agent's.
  public var cdnURL: URL??
  /// Instead of the tag.
  public var tag: Int?
  /// Instead of the values carried along, all of them.
  public var userInfo: [String: any Sendable]?
  /// Instead of the request's accessories; the agent's still watch.
  public var accessories: [any Accessory]?
  /// Hidden besides the request's own.
  public var secrets: [Secret]?
  /// Instead of the comment.
  public var comment: String??
  /// Instead of the template.
  public var urlTemplate: String??
  /// Instead of the idempotency key.
  public var idempotencyKey: IdempotencyKey?
  /// Instead of the custom request, for those who know what is in it.
  var customRequest: HTTPRequest?
  /// Names of header fields that are secret in this exchange, and seldom in another.
  var hiddenHeaders: [String]?

  /// Overrides nothing.
  public init() {}
}

extension Request {
  /// The same request with one member changed for this call: `GetUser(id: 7).with(\.timeout, .seconds(5))`.
  ///
  /// Calls are chained for more members; the last one for a member wins. Headers are merged over the request's, name by name; everything
  /// else is replaced. The members of ``RequestOverrides`` can be changed; hooks see the request without the overrides as
  /// ``RequestContext/request``. A ``customRequest`` is sent as it is, whatever is overridden.
  public func with<Value>(
    _ member: WritableKeyPath<RequestOverrides, Value?>, _ value: Value
  ) -> OverriddenRequest<Self> {
    OverriddenRequest(base: self, overrides: RequestOverrides()).with(member, value)
  }
}

extension RequestOverrides: PrintedByDescription {
  /// `overrides`; never a member, as any may hold a secret.
  public var description: String { "overrides" }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
