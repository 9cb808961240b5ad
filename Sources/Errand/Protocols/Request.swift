import ErrandJSON
public import Foundation

/// An endpoint: the request to send, the rules for its response, and hooks.
///
/// ```swift
/// struct GetUser: Request {
///   typealias Response = User
///   var id: Int
///   var path: String { "users/\(id)" }
/// }
/// ```
///
/// Declare the rules of a whole API in a protocol that refines `Request`. Do not store the state of a
/// dispatch in a request, because a request may be sent concurrently.
public protocol Request<Response>: RequestMembers {
  /// The type of the decoded response value.
  ///
  /// ``responseSerializer`` has a default for `Data`, `String`, `Void`, ``HTTPResponse`` and `[BodyPart]`,
  /// and a JSON default for other `Decodable` types.
  associatedtype Response: Sendable

  /// The base URL of ``path``; `nil`, the default, means the agent's base URL.
  var baseURL: URL? { get }
  /// The path to append to the base URL, or an absolute URL; `""` by default.
  ///
  /// Interpolate untrusted text as a path segment: `\(segment: name)`.
  var path: String { get }
  /// The method; `GET` by default.
  var method: HTTPMethod { get }
  /// Header fields; empty by default.
  ///
  /// A field replaces the agent's fields of the same name.
  var headers: HTTPHeaders { get }
  /// Parameters; empty by default.
  ///
  /// For `GET`, `HEAD` and `DELETE`, and if ``body`` is not `.automatic`, parameters are sent in the query.
  /// Otherwise ``requestSerializer`` encodes the parameters as the body.
  var parameters: Parameters { get }
  /// Parameters for the query of every method; empty by default.
  var query: Parameters { get }
  /// The body; `.automatic`, the default, means the encoded ``parameters``, or no body.
  var body: RequestBody { get }
  /// The trailers (RFC 9110 section 6.5); `.none` by default.
  ///
  /// If the transport sends no trailers, a request with trailers fails with
  /// ``RequestError/Kind/unsupported``.
  var trailers: RequestTrailers { get }
  /// The encoding of the parameters; `.form` by default.
  var requestSerializer: RequestSerializer { get }
  /// The decoding of the response; the default depends on ``Response``.
  var responseSerializer: any ResponseSerializer<Response> { get }
  /// The JSON coding, such as `.snakeCase.iso8601`; `nil`, the default, means the agent's coding.
  var jsonCoding: JSONCoding? { get }
  /// A decoder in place of ``jsonCoding``; `nil` by default.
  ///
  /// The coding's `dropsNulls` still applies.
  var jsonDecoder: JSONDecoder? { get }
  /// An encoder in place of ``jsonCoding``; `nil` by default.
  var jsonEncoder: JSONEncoder? { get }
  /// Validators of the response before decoding; status 200..<300 by default.
  var validators: [any ResponseValidator] { get }
  /// The retry policy; `.inherited` by default.
  var retryPolicy: RetryPolicy { get }
  /// The redirect policy; `.inherited` by default.
  var redirectPolicy: RedirectPolicy { get }
  /// The condition for ``mockResponse(for:context:)``; `.never` by default.
  var mockPolicy: MockPolicy { get }
  /// The authenticator; `.inherited` by default.
  var authentication: Authentication { get }
  /// The sharing of a transfer with identical requests; `.none` by default.
  var coalescing: CoalescingPolicy { get }
  /// The longest time of a transfer without progress; ``AgentConfiguration/timeout`` by default.
  var timeout: Duration { get }
  /// The time limit of the dispatch for all attempts and waits.
  ///
  /// `nil`, the default, means ``AgentConfiguration/deadline``. The deadline does not interrupt a running
  /// hook.
  var deadline: Duration? { get }
  /// The priority among waiting requests; `.default` by default.
  var priority: RequestPriority { get }
  /// A key for separate limits within an origin, such as the name of a tenant or a shard; `nil` by default.
  ///
  /// Requests with equal keys to one origin usually share slots, rate limit, circuit and retry budget. Errors
  /// and events may print the key, so the key must not be a secret.
  var limitKey: String? { get }
  /// The choice of a cookie store; `.inherited` by default.
  var cookies: CookiePolicy { get }
  /// The use of the agent's cache; `.inherited` by default.
  var cachePolicy: CachePolicy { get }
  /// The permitted cellular, expensive and constrained networks; `.all` by default.
  ///
  /// With a transport that cannot choose networks, a request that excludes some networks fails with
  /// ``RequestError/Kind/unsupported``.
  var networkAccess: NetworkAccess { get }
  /// True for a serial request; `false` by default.
  ///
  /// An agent runs its serial requests one at a time, except in a credential refresh.
  ///
  /// Until the outcome is known, a hook or accessory of a serial request must not await another serial
  /// request. Otherwise the two requests may wait for each other.
  var isSerial: Bool { get }
  /// Limits of a transfer; `nil`, the default, means the agent's limits.
  var limits: TransferLimits? { get }
  /// True if the CDN URL replaces the base URL; `false` by default.
  var usesCDN: Bool { get }
  /// The CDN URL; `nil`, the default, means the agent's CDN URL.
  var cdnURL: URL? { get }
  /// A number passed to hooks, accessories and events; 0 by default.
  var tag: Int { get }
  /// Values passed to hooks and accessories; empty by default.
  var userInfo: [String: any Sendable] { get }
  /// Accessories, called after the agent's accessories; empty by default.
  var accessories: [any Accessory] { get }
  /// Secrets to hide in output; empty by default.
  ///
  /// ``Secret`` values in parameters and stored properties are usually hidden without this list; see
  /// ``Redaction``.
  var secrets: [Secret] { get }
  /// A comment for logs; `nil` by default.
  var comment: String? { get }
  /// The path template for telemetry, such as `/users/{id}`; `nil` by default.
  ///
  /// Without a template, Errand tries to derive a template from the path and the stored properties. Set a
  /// template if a stored property holds free text, because the text could equal a fixed part of the path.
  var urlTemplate: String? { get }
  /// A complete request; `nil` by default.
  ///
  /// Replaces URL, method, headers, parameters, query, body and trailers. The agent's headers and parameters
  /// are not added.
  var customRequest: HTTPRequest? { get }
  /// The key that lets the server recognize a repeated request; `.none` by default.
  var idempotencyKey: IdempotencyKey { get }

  /// Names of stored properties that resemble members on purpose, such as `["comment"]`; empty by default.
  ///
  /// ``RequestAgent/explain(_:)`` and debug builds may report other such properties as likely mistakes.
  static var domainProperties: Set<String> { get }

  /// Changes the built request of an attempt, and the next request of each followed redirect.
  ///
  /// Also called for ``RequestAgent/explain(_:)``. Each call receives a request without the changes of
  /// earlier calls. See ``RequestHooks/filterRequest(_:context:)`` for errors.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed; returns `.follow` by default.
  ///
  /// `request` is the next request. The hook may change `request`, and the agent checks the changed request.
  /// After `.stop`, the validators judge `response`.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Returns a mock response; `nil`, the default, means no mock.
  ///
  /// Called only if ``mockPolicy`` and ``AgentConfiguration/allowsMocks`` allow mocks.
  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse?

  /// Changes an accepted response before decoding; has no effect by default.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is repeated; returns `suggested` by default.
  ///
  /// Called before the agent's hooks. Not called after a cancellation or the deadline, or once the caller has
  /// the head of a stream. The authenticator decides first: after a renewal of credentials, the hook is not
  /// called. A body that can be produced only once is not sent again.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Receives the outcome before the `filter` hooks; has no effect by default.
  ///
  /// For streams and downloads, see ``completed(_:context:)``.
  func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Returns the outcome or a replacement; returns `outcome` by default.
  ///
  /// Not called for a cancelled dispatch. For streams and downloads, see ``completed(_:context:)``.
  func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response>

  /// Receives the final outcome of a dispatch; has no effect by default.
  ///
  /// A stream, or a message of a resumable upload, has an ``HTTPResponse`` as value. A download has a
  /// ``DownloadedFile``. After such a success, the hook is called only if ``Response`` is the type of the
  /// value, or `Void`.
  func completed(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Receives the outcome of each stream of the request; has no effect by default.
  ///
  /// Called after ``completed(_:context:)``. The value of a success is the response head, with any trailers.
  func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async
}
