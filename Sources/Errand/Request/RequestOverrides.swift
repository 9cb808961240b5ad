public import Foundation

/// What one call changes in a request; see ``Request/with(_:_:)``.
///
/// Every member is `nil` by default, which keeps the request's own. The type of the value is the request's, so that
/// its serializer cannot be overridden; neither can the hooks, which are the request's code.
public struct RequestOverrides: Sendable {
  /// Instead of the request's base, and the agent's.
  public var baseURL: URL?
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
  /// Instead of the serializer of the parameters.
  public var requestSerializer: RequestSerializer?
  /// Instead of the request's coding, decoder and encoder, and the agent's.
  public var jsonCoding: JSONCoding?
  /// Instead of the request's decoder or coding, and the agent's.
  ///
  /// It is copied with the settings that it has when it is given; an object of a subclass is used itself.
  public var jsonDecoder: JSONDecoder? { didSet { jsonDecoder = jsonDecoder?.snapshot } }
  /// Instead of the request's encoder or coding, and the agent's; copied like ``jsonDecoder``.
  public var jsonEncoder: JSONEncoder? { didSet { jsonEncoder = jsonEncoder?.snapshot } }
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
  /// Instead of the deadline.
  public var deadline: Duration?
  /// Instead of the priority.
  public var priority: RequestPriority?
  /// Instead of the choice whether it runs alone.
  public var isSerial: Bool?
  /// Instead of the request's limits, and the agent's, all of them.
  public var limits: TransferLimits?
  /// Instead of the choice of base.
  public var usesCDN: Bool?
  /// Instead of the request's CDN base, and the agent's.
  public var cdnURL: URL?
  /// Instead of the tag.
  public var tag: Int?
  /// Instead of the values carried along, all of them.
  public var userInfo: [String: any Sendable]?
  /// Instead of the request's accessories; the agent's still watch.
  public var accessories: [any Accessory]?
  /// Hidden besides the request's own.
  public var secrets: [Secret]?
  /// Instead of the comment.
  public var comment: String?
  /// Instead of the idempotency key.
  public var idempotencyKey: IdempotencyKey?

  /// Overrides nothing.
  public init() {}
}

extension Request {
  /// The same request with one member changed for this call: `GetUser(id: 7).with(\.timeout, .seconds(5))`.
  ///
  /// Calls are chained for more members; the last one for a member wins. Headers are merged over the request's, name by
  /// name; everything else is replaced. The members of ``RequestOverrides`` can be changed; hooks see the request
  /// without the overrides as ``RequestContext/request``. A ``customRequest`` is sent as it is, whatever is overridden.
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
