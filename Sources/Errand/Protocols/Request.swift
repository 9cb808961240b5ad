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
/// Put the rules of a whole API in a protocol that refines `Request`. Do not store the state of a dispatch in
/// a request, because the same value may be sent concurrently.
public protocol Request<Response>: RequestMembers {
  /// The type of the value.
  ///
  /// `Data`, `String`, `Void`, ``HTTPResponse`` and `[BodyPart]` have serializers. Other `Decodable` types
  /// are decoded from JSON. For further types, declare ``responseSerializer``.
  associatedtype Response: Sendable

  /// The base URL of ``path``; `nil`, the default, means the agent's base URL.
  var baseURL: URL? { get }
  /// The path, appended to the base URL; `""` by default.
  ///
  /// An absolute URL replaces the base URL. Interpolate untrusted text as a path segment: `\(segment: name)`.
  var path: String { get }
  /// The method; `GET` by default.
  var method: HTTPMethod { get }
  /// Header fields, in precedence over the agent's; empty by default.
  ///
  /// A `Host`, `Content-Length` or `Transfer-Encoding` field fails with ``RequestError/Kind/invalidRequest``.
  var headers: HTTPHeaders { get }
  /// Parameters; empty by default.
  ///
  /// For `GET`, `HEAD` and `DELETE`, and when ``body`` is set, parameters are sent in the query. Otherwise
  /// ``requestSerializer`` encodes the parameters as the body.
  var parameters: Parameters { get }
  /// Parameters sent in the query for every method; empty by default.
  var query: Parameters { get }
  /// The body; `.automatic`, the default, derives the body from ``parameters``.
  var body: RequestBody { get }
  /// The trailers (RFC 9110 section 6.5); `.none` by default.
  ///
  /// A transport without trailers fails with ``RequestError/Kind/unsupported``.
  var trailers: RequestTrailers { get }
  /// The encoding of ``parameters`` and ``query``; `.form` by default.
  var requestSerializer: RequestSerializer { get }
  /// The serializer that decodes the response; the default depends on ``Response``.
  var responseSerializer: any ResponseSerializer<Response> { get }
  /// The JSON coding, such as `.snakeCase.iso8601`; `nil`, the default, means the agent's coding.
  var jsonCoding: JSONCoding? { get }
  /// A decoder in place of ``jsonCoding``, read for each use; `nil` by default.
  var jsonDecoder: JSONDecoder? { get }
  /// An encoder in place of ``jsonCoding``, read for each use; `nil` by default.
  var jsonEncoder: JSONEncoder? { get }
  /// Validators that judge the response before decoding; status 200..<300 by default.
  var validators: [any ResponseValidator] { get }
  /// The retry policy; `.inherited` by default.
  var retryPolicy: RetryPolicy { get }
  /// The redirect policy; `.inherited` by default.
  var redirectPolicy: RedirectPolicy { get }
  /// The condition for ``mockResponse(for:context:)``; `.never` by default.
  var mockPolicy: MockPolicy { get }
  /// The authenticator that signs the request; `.inherited` by default.
  ///
  /// Use `.none` for public endpoints, and for endpoints that fetch or renew credentials.
  var authentication: Authentication { get }
  /// The rule for sharing a transfer with identical requests in flight; `.none` by default.
  var coalescing: CoalescingPolicy { get }
  /// The longest time of a transfer without progress; ``AgentConfiguration/timeout`` by default.
  var timeout: Duration { get }
  /// The time limit of the whole dispatch, with all attempts and waits.
  ///
  /// `nil`, the default, means ``AgentConfiguration/deadline``. The deadline ends a transfer or a wait with
  /// ``RequestError/Kind/deadlineExceeded``. Running hooks are not interrupted.
  var deadline: Duration? { get }
  /// The priority among requests that wait for the same origin; `.default` by default.
  var priority: RequestPriority { get }
  /// The cookies to send and store; `.inherited` by default.
  var cookies: CookiePolicy { get }
  /// The use of the agent's cache; `.inherited` by default.
  var cachePolicy: CachePolicy { get }
  /// The allowed kinds of network; `.all` by default.
  ///
  /// If the transport cannot choose networks, excluding networks fails with
  /// ``RequestError/Kind/unsupported``.
  var networkAccess: NetworkAccess { get }
  /// True if other serial requests of the agent wait for this request; `false` by default.
  ///
  /// The wait covers all attempts, and the body of a stream. A hook in an attempt of a
  /// serial request must not await another serial request, because the two would wait for each other.
  var isSerial: Bool { get }
  /// Limits of size and time for a transfer; `nil`, the default, means the agent's limits.
  var limits: TransferLimits? { get }
  /// True if the CDN URL replaces the base URL; `false` by default.
  var usesCDN: Bool { get }
  /// The CDN URL; `nil`, the default, means the agent's CDN URL.
  ///
  /// With ``usesCDN`` but no CDN URL, a relative ``path`` fails with ``RequestError/Kind/invalidURL``.
  var cdnURL: URL? { get }
  /// A number passed to hooks, accessories and events; 0 by default.
  var tag: Int { get }
  /// Values passed to hooks and accessories; empty by default.
  var userInfo: [String: any Sendable] { get }
  /// Accessories of this request, called after the agent's; empty by default.
  var accessories: [any Accessory] { get }
  /// Secrets that ``Redaction`` hides in output about the request; empty by default.
  ///
  /// ``Secret`` values in parameters and stored properties are found without this list; ``Redaction`` states
  /// the limits.
  var secrets: [Secret] { get }
  /// A comment for logs; `nil` by default.
  var comment: String? { get }
  /// The path for telemetry, with names for variable segments: `/users/{id}`; `nil` by default.
  ///
  /// With `nil`, Errand derives a template if possible. State a template if stored properties hold free text.
  var urlTemplate: String? { get }
  /// A complete request in place of URL, method, headers, parameters, body and trailers; `nil` by default.
  ///
  /// The agent's headers and parameters are not added. Hooks and other members apply.
  var customRequest: HTTPRequest? { get }
  /// The key that lets the server recognize a repeated request; `.none` by default.
  ///
  /// With a key, a ``RetryPolicy`` may repeat a `POST`.
  var idempotencyKey: IdempotencyKey { get }

  /// Names of stored properties that resemble members on purpose; empty by default.
  ///
  /// ``RequestAgent/explain(_:)`` and debug builds report stored properties that look like misnamed members.
  /// List intended names here: `["comment"]`.
  static var domainProperties: Set<String> { get }

  /// Changes the built request of an attempt, and the next request of each followed redirect.
  ///
  /// Called before the agent's hooks, also for ``RequestAgent/explain(_:)``. Each call receives a request
  /// without the changes of earlier calls. For a thrown error, see
  /// ``RequestHooks/filterRequest(_:context:)``.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed; follows by default.
  ///
  /// `response` is the head of the redirect. The hook may change the next `request`. The agent checks the
  /// changed request. After `.stop`, the validators judge the redirect. Called before the agent's hooks.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Returns a mock response in place of the server's response; `nil`, the default, means no mock.
  ///
  /// Called if ``mockPolicy`` and ``AgentConfiguration/allowsMocks`` allow mocks.
  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse?

  /// Changes an accepted response before decoding, and before the agent's hooks.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is repeated; returns `suggested` by default.
  ///
  /// Called before the agent's hooks. Not called after a cancellation, after the deadline, or once the caller
  /// has the head of a stream. A body that can be produced only once is not sent again.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Receives the outcome before the `filter` hooks; has no effect by default.
  func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Returns a replacement for the outcome; returns the same outcome by default.
  ///
  /// Not called for a cancelled dispatch.
  func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response>

  /// Receives the final outcome of a dispatch; has no effect by default.
  ///
  /// A stream or a download succeeds with an ``HTTPResponse`` or a ``DownloadedFile``. The hook is then
  /// called only if the value can be cast to ``Response``, or ``Response`` is `Void`.
  func completed(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Receives the end of each stream of the request; has no effect by default.
  ///
  /// Called after ``completed(_:context:)``, for any ``Response`` type. A success has the head with its
  /// trailers.
  func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async
}
