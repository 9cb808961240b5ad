import ErrandJSON
public import Foundation

/// An endpoint: the request to send, the rules for judging and decoding the response, and hooks.
///
/// Every member except ``Response`` has a default (see the extension), so a minimal endpoint is a path:
///
/// ```swift
/// struct GetUser: Request {
///   typealias Response = User
///   var id: Int
///   var path: String { "users/\(id)" }
/// }
/// ```
///
/// Rules for a whole API belong in a refining protocol with an extension. Synchronous requirements are read off the main actor; an `async`
/// hook marked `@MainActor` runs on the main actor. A conforming type stores no state of a dispatch, because the same value may be sent
/// many times concurrently.
public protocol Request<Response>: RequestMembers {
  /// The type of the value: `Decodable` (JSON by default), `Data`, `String`, `Void` or ``HTTPResponse``.
  associatedtype Response: Sendable

  /// The base URL of ``path``; `nil`, the default, means the agent's base URL.
  var baseURL: URL? { get }
  /// The path, joined to the path of the base URL by components; `""` by default.
  ///
  /// A leading `/` keeps the path of the base URL, and a query in the path is kept. An absolute URL replaces the base URL. Interpolate
  /// untrusted text as `\(segment: name)`, which stays a single path segment.
  var path: String { get }
  /// The method; `GET` by default.
  var method: HTTPMethod { get }
  /// Header fields, in precedence over the agent's; empty by default.
  ///
  /// `Host`, `Content-Length` and `Transfer-Encoding` are refused.
  var headers: HTTPHeaders { get }
  /// Parameters; empty by default.
  ///
  /// For `GET`, `HEAD` and `DELETE`, and when ``body`` is set, parameters are sent in the query. Otherwise ``requestSerializer`` encodes
  /// the parameters as the body.
  var parameters: Parameters { get }
  /// Parameters sent in the query for every method, after a query in ``path``; empty by default.
  var query: Parameters { get }
  /// The body; `.automatic` by default: derived from ``parameters``. With any other body, parameters are sent in the query.
  var body: RequestBody { get }
  /// Trailer fields after the body (RFC 9110 section 6.5); `.none` by default. With trailers, the body is sent in chunks.
  var trailers: RequestTrailers { get }
  /// The encoding of ``parameters`` in the body; `.form` by default.
  var requestSerializer: RequestSerializer { get }
  /// The serializer that makes the value; chosen by the type of ``Response`` by default.
  var responseSerializer: any ResponseSerializer<Response> { get }
  /// The JSON coding for decoding and encoding, such as `.snakeCase.iso8601`; `nil`, the default, means the agent's.
  var jsonCoding: JSONCoding? { get }
  /// A decoder with precedence over ``jsonCoding``; `nil`, the default, means ``jsonCoding``. Read for each decoding.
  var jsonDecoder: JSONDecoder? { get }
  /// An encoder with precedence over ``jsonCoding``; `nil`, the default, means ``jsonCoding``. Read for each body.
  var jsonEncoder: JSONEncoder? { get }
  /// Validators that judge the response before decoding, in order; status 200..<300 by default.
  var validators: [any ResponseValidator] { get }
  /// The retry policy; `.inherited` by default: the agent's policy, whose default is `.none`.
  var retryPolicy: RetryPolicy { get }
  /// The redirect policy; `.inherited` by default: the agent's policy, whose default is up to 10 redirects in an attempt.
  var redirectPolicy: RedirectPolicy { get }
  /// The conditions for ``mockResponse(for:context:)`` to answer; `.never` by default.
  ///
  /// Mocks also need ``AgentConfiguration/allowsMocks``.
  var mockPolicy: MockPolicy { get }
  /// The authenticator that signs the request; `.inherited` by default: the agent's authenticator.
  ///
  /// Use `.none` for public endpoints, and for endpoints that fetch or renew credentials.
  var authentication: Authentication { get }
  /// The rule for sharing a transfer with identical requests in flight; `.none` by default.
  var coalescing: CoalescingPolicy { get }
  /// The longest time of an attempt without progress; ``AgentConfiguration/timeout`` by default, whose default is 60 seconds.
  ///
  /// The property of a request without a timeout returns 60 seconds, whatever the agent's timeout. ``RequestAgent/explain(_:)`` names the
  /// effective timeout.
  var timeout: Duration { get }
  /// The longest time of the whole dispatch, with all attempts and waits.
  ///
  /// `nil`, the default, means ``AgentConfiguration/deadline``, whose default is no limit. The agent's clock measures the time, also while
  /// the dispatch is suspended or waits for a turn or a slot. At the deadline the transfer ends and the dispatch fails with
  /// ``RequestError/Kind/deadlineExceeded``, without a retry. A wait that would end past the deadline never starts, and the last failure is
  /// final. Running hooks are awaited, and later hooks are not measured.
  var deadline: Duration? { get }
  /// The order among requests that wait for a slot of the same origin; `.default` by default.
  ///
  /// The transport receives the priority in ``TransportRequest/priority``.
  var priority: RequestPriority { get }
  /// The cookies to send and store; `.inherited` by default: ``AgentConfiguration/cookies``.
  var cookies: CookiePolicy { get }
  /// The use of the agent's cache; `.inherited` by default: ``AgentConfiguration/cachePolicy``.
  ///
  /// Without ``AgentConfiguration/cache``, the default, the policy has no effect.
  var cachePolicy: CachePolicy { get }
  /// The allowed kinds of network; `.all` by default.
  ///
  /// With fewer kinds, a transport without a choice of networks fails with ``RequestError/Kind/unsupported`` before anything is sent, as
  /// every transport on Linux does; see ``TransportCapabilities/choosesNetworks``. Without an allowed network the request fails with
  /// ``RequestError/Kind/connectionFailed``. Such a request shares no transfer.
  var networkAccess: NetworkAccess { get }
  /// True if the request runs alone among the serial requests of its agent, in order of arrival; `false` by default.
  ///
  /// The request keeps its turn until no attempt follows, including all retries and their waits. A stream keeps its turn until the end of
  /// the body. ``priority`` has no effect on turns. A hook that runs during the turn must not send a serial request and wait for the value,
  /// because the turn would never come.
  var isSerial: Bool { get }
  /// Limits of size and time for a transfer; `nil`, the default, means the agent's limits.
  var limits: TransferLimits? { get }
  /// True if the CDN URL replaces the base URL; `false` by default.
  var usesCDN: Bool { get }
  /// The CDN URL; `nil`, the default, means the agent's. Without any CDN URL, ``usesCDN`` is an error.
  var cdnURL: URL? { get }
  /// A number passed to every hook and event; 0 by default.
  var tag: Int { get }
  /// Values passed to every hook and event; empty by default.
  var userInfo: [String: any Sendable] { get }
  /// Accessories that watch this request, after the agent's accessories; empty by default.
  var accessories: [any Accessory] { get }
  /// Secrets hidden in everything printed about the request, such as a secret in ``path``; empty by default.
  ///
  /// Errand finds secrets in ``parameters``, ``query`` and a JSON ``body``, and secrets stored in a conforming struct, without this
  /// property. The property is read for each print.
  var secrets: [Secret] { get }
  /// A comment for logs; `nil` by default.
  var comment: String? { get }
  /// The path for telemetry, with names for variable segments: `/users/{id}`; `nil` by default.
  ///
  /// Read only by `AttemptReport.attributes(requestHeaders:responseHeaders:)` of `ErrandTelemetry`. With `nil`, the names are derived from stored properties
  /// that equal segments of the path. State the template for properties with text from users, and for properties that are parts of
  /// segments.
  var urlTemplate: String? { get }
  /// A complete request, sent instead of all members above; `nil` by default. Hooks still run.
  var customRequest: HTTPRequest? { get }
  /// The key that lets the server recognize a repeated request; `.none` by default.
  ///
  /// With a key, a ``RetryPolicy`` may repeat a `POST`.
  var idempotencyKey: IdempotencyKey { get }

  /// The names of stored properties that resemble members of this protocol on purpose; empty by default.
  ///
  /// A stored property with the name of a member and another type, such as `let headers: [String: String]`, compiles and is ignored. So is
  /// a property with a similar name, such as `header` or `timeOut`. ``RequestAgent/explain(_:)`` lists such properties, and a debug build
  /// prints them on standard error at the first dispatch of the type (on Apple platforms, as a fault in the log). In a test with mocks of
  /// `ErrandTesting`, each is an issue. List intended names here:
  ///
  /// ```swift
  /// struct AddNote: Request {
  ///   typealias Response = Void
  ///   static let domainProperties: Set<String> = ["comment"]
  ///   let comment: Note
  ///   let path = "notes"
  ///   var body: RequestBody { .json(comment) }
  /// }
  /// ```
  ///
  /// Only structs without a custom mirror are checked, because stored properties of objects may change concurrently.
  static var domainProperties: Set<String> { get }

  /// Changes the request, once in each attempt and once for each followed redirect, before the agent's hooks.
  ///
  /// Changes nothing by default. Each call receives a request without the changes of earlier calls. A thrown error ends the attempt with
  /// ``RequestError/Kind/hook``.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed. `response` is the head of the redirect; the body is not read yet.
  ///
  /// Called before the agent's hooks; follows by default. `request` is the next request by the rules of ``RedirectPolicy``, before
  /// `filterRequest`. The hook may change method, body, credentials and URL, and the result is checked again.
  /// ``RedirectPolicy/Decision/stop`` passes the 3xx with its body to the validators. A thrown error ends the attempt with
  /// ``RequestError/Kind/hook``.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Answers instead of the server if ``mockPolicy`` and the agent's configuration allow mocks; `nil`, the default, means no answer.
  ///
  /// `request` is the request that would be sent, or that failed. The response passes validators, filters and decoding. A thrown
  /// ``TransportError`` fails the attempt like a failure of the transport; any other error fails the attempt with
  /// ``RequestError/Kind/hook``.
  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse?

  /// Changes a response accepted by every validator, before decoding and before the agent's hooks.
  ///
  /// Changes nothing by default. A thrown error ends the attempt with ``RequestError/Kind/hook``.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is repeated; returns the suggestion of ``retryPolicy`` by default.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Sees the outcome before accessories and completions, off the main actor; does nothing by default.
  func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Replaces the outcome, or returns the outcome unchanged, as by default. Not called for a cancelled dispatch.
  func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response>

  /// Receives the outcome, exactly once; does nothing by default.
  ///
  /// For a stream, the method is called only if the outcome has a value of ``Response``; ``streamed(_:context:)`` is called for every
  /// stream.
  func completed(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Receives the end of a stream of the request, exactly once, whatever ``Response`` is: see ``RequestAgent/stream(_:)``.
  ///
  /// Called after ``completed(_:context:)``. The value of a success is the head with its trailers. Does nothing by default.
  func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async
}
