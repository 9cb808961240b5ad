import ErrandJSON
public import Foundation

/// An endpoint: the request to send, the rules for judging and decoding the response, and hooks.
///
/// A path and a ``Response`` type make a minimal endpoint:
///
/// ```swift
/// struct GetUser: Request {
///   typealias Response = User
///   var id: Int
///   var path: String { "users/\(id)" }
/// }
/// ```
///
/// Put the rules of a whole API in a protocol refining `Request`, with an extension. An `async` hook marked
/// `@MainActor` runs on the main actor. Do not store the state of a dispatch in a request, because the same
/// value may be sent many times concurrently.
public protocol Request<Response>: RequestMembers {
  /// The type of the value.
  ///
  /// `Data`, `String`, `Void`, ``HTTPResponse`` and `[BodyPart]` have serializers. By default, any other
  /// `Decodable` type is decoded from JSON. For a further type, declare ``responseSerializer``.
  associatedtype Response: Sendable

  /// The base URL of ``path``; `nil`, the default, means the agent's base URL.
  var baseURL: URL? { get }
  /// The path, joined to the path of the base URL by components; `""` by default.
  ///
  /// A leading `/` keeps the path of the base URL, and a query in the path is kept. An absolute URL replaces
  /// the base URL. Interpolate untrusted text as a single path segment: `\(segment: name)`.
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
  /// Parameters sent in the query for every method, after a query in ``path``; empty by default.
  var query: Parameters { get }
  /// The body; `.automatic`, the default, derives the body from ``parameters``; see there for the rule.
  var body: RequestBody { get }
  /// The trailers (RFC 9110 section 6.5); `.none` by default.
  ///
  /// If the transport cannot send trailers, trailers fail with ``RequestError/Kind/unsupported``.
  var trailers: RequestTrailers { get }
  /// The encoding of ``parameters`` and ``query``; `.form` by default.
  var requestSerializer: RequestSerializer { get }
  /// The serializer that decodes the response; chosen by the type of ``Response`` by default.
  var responseSerializer: any ResponseSerializer<Response> { get }
  /// The JSON coding, such as `.snakeCase.iso8601`; `nil`, the default, means the agent's coding.
  var jsonCoding: JSONCoding? { get }
  /// A decoder in place of ``jsonCoding``, read for each use; `nil`, the default: ``jsonCoding``.
  var jsonDecoder: JSONDecoder? { get }
  /// An encoder in place of ``jsonCoding``, read for each use; `nil`, the default: ``jsonCoding``.
  var jsonEncoder: JSONEncoder? { get }
  /// Validators that judge the response before decoding, in order; status 200..<300 by default.
  var validators: [any ResponseValidator] { get }
  /// The retry policy; `.inherited` by default: the agent's policy, by default `.none`.
  var retryPolicy: RetryPolicy { get }
  /// The redirect policy; `.inherited` by default: the agent's, by default up to 10 redirects in an attempt.
  var redirectPolicy: RedirectPolicy { get }
  /// The condition for ``mockResponse(for:context:)``, if the agent allows mocks; `.never` by default.
  var mockPolicy: MockPolicy { get }
  /// The authenticator that signs the request; `.inherited` by default: the agent's authenticator.
  ///
  /// Use `.none` for public endpoints, and for endpoints that fetch or renew credentials.
  var authentication: Authentication { get }
  /// The rule for sharing a transfer with identical requests in flight; `.none` by default.
  var coalescing: CoalescingPolicy { get }
  /// The longest time of a transfer without progress; by default ``AgentConfiguration/timeout``.
  ///
  /// The default, 60 seconds and an attosecond, stands for the agent's timeout, by default 60 seconds.
  /// ``RequestAgent/explain(_:)`` names the effective timeout.
  var timeout: Duration { get }
  /// The time limit of the whole dispatch, with all attempts, waits and suspensions.
  ///
  /// `nil`, the default, means ``AgentConfiguration/deadline``, by default no limit. The deadline ends a
  /// transfer or a wait with ``RequestError/Kind/deadlineExceeded``. A running hook is not interrupted.
  /// Outcome hooks have no time limit.
  var deadline: Duration? { get }
  /// The priority among requests that wait for a slot of the same origin; `.default` by default.
  var priority: RequestPriority { get }
  /// The cookies to send and store; `.inherited` by default: ``AgentConfiguration/cookies``.
  var cookies: CookiePolicy { get }
  /// The use of the agent's cache; `.inherited` by default: ``AgentConfiguration/cachePolicy``.
  var cachePolicy: CachePolicy { get }
  /// The allowed kinds of network; `.all` by default.
  ///
  /// If only excluded networks are available, the request usually fails with
  /// ``RequestError/Kind/connectionFailed``. If the transport cannot choose networks, as by default on Linux,
  /// excluding networks fails with ``RequestError/Kind/unsupported``.
  var networkAccess: NetworkAccess { get }
  /// True if the agent makes the attempts of serial requests one request at a time; `false` by default.
  ///
  /// Other serial requests wait through all attempts and retry waits of this request, and until the body of a
  /// stream ends. ``priority`` does not change the order of serial requests. A hook in an attempt of a serial
  /// request must not await another serial request, because the two would wait for each other. Outcome hooks
  /// may. A request in the refresh of a ``CredentialStore`` does not wait.
  var isSerial: Bool { get }
  /// Limits of size and time for a transfer; `nil`, the default, means the agent's limits.
  var limits: TransferLimits? { get }
  /// True if the CDN URL replaces the base URL; `false` by default.
  var usesCDN: Bool { get }
  /// The CDN URL; `nil`, the default, means the agent's CDN URL.
  ///
  /// With ``usesCDN`` but no CDN URL, a relative ``path`` fails with ``RequestError/Kind/invalidURL``.
  var cdnURL: URL? { get }
  /// A number passed to every hook, accessory and event; 0 by default.
  var tag: Int { get }
  /// Values passed to every hook and accessory; empty by default.
  var userInfo: [String: any Sendable] { get }
  /// Accessories of this request, called after the agent's accessories; empty by default.
  var accessories: [any Accessory] { get }
  /// Secrets hidden by ``Redaction`` in output about the request, for example in ``path``; empty by default.
  ///
  /// Errand also searches ``parameters``, ``query``, a JSON ``body`` and the stored properties of a struct or
  /// enum for ``Secret`` values; ``Redaction`` states the limits.
  var secrets: [Secret] { get }
  /// A comment for logs; `nil` by default.
  var comment: String? { get }
  /// The path for telemetry, with names for variable segments: `/users/{id}`; `nil` by default.
  ///
  /// With `nil`, Errand derives a template from the path and the stored properties if possible. State a
  /// template if stored properties hold free text, or if a property is only a part of a segment.
  var urlTemplate: String? { get }
  /// A complete request in place of URL, method, headers, parameters, body and trailers; `nil` by default.
  ///
  /// Hooks and other members apply. The agent's headers and parameters, and the agent's defaults such as
  /// `Accept`, are not added.
  var customRequest: HTTPRequest? { get }
  /// The key that lets the server recognize a repeated request; `.none` by default.
  ///
  /// With a key, a ``RetryPolicy`` may repeat a `POST`.
  var idempotencyKey: IdempotencyKey { get }

  /// The names of stored properties that resemble members of this protocol on purpose; empty by default.
  ///
  /// A stored property with a similar name, such as `timeOut`, is ignored. A property with the name of a
  /// member and another type, such as `let retryPolicy: Int`, is ignored or refused by the compiler.
  /// ``RequestAgent/explain(_:)`` and debug builds report likely mistakes in structs. List intended names
  /// here: `static let domainProperties: Set<String> = ["comment"]`.
  static var domainProperties: Set<String> { get }

  /// Changes the built request of an attempt, and the next request of each followed redirect.
  ///
  /// Has no effect by default. Called before the agent's hooks, also for ``RequestAgent/explain(_:)``, but
  /// not for a ``MockPolicy/whenFailed`` mock. Each call receives a request without the changes of earlier
  /// calls. For a thrown error, see ``RequestHooks/filterRequest(_:context:)``.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed; follows by default.
  ///
  /// `response` is the head of the redirect. The hook may change method, body, credentials and URL of the
  /// next `request`, before `filterRequest` runs. The agent checks the changed request. After `.stop`, the
  /// validators judge the redirect. Called before the agent's hooks, and not called with
  /// ``RedirectPolicy/none``. For a thrown error, see ``RequestHooks/redirectDecision(to:from:context:)``.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Returns a mock response in place of the server's response; `nil`, the default, means no mock.
  ///
  /// Called if ``mockPolicy`` and ``AgentConfiguration/allowsMocks`` allow mocks. For a thrown error, see
  /// ``RequestHooks/filterRequest(_:context:)``.
  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse?

  /// Changes a response accepted by every validator, before decoding and before the agent's hooks.
  ///
  /// Has no effect by default. For a thrown error, see ``RequestHooks/filterRequest(_:context:)``.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is repeated; returns `suggested` by default.
  ///
  /// Called before the agent's hooks. Not called after a cancellation, the deadline, a renewal of
  /// credentials, or an attempt with a ``MockPolicy/whenFailed`` mock. Not called after a failure of the
  /// authenticator other than a timeout, or once the caller has the head of a stream. No retry repeats a body
  /// that can be produced only once, or waits past the deadline.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Receives the outcome before the `filter` hooks and completion handlers; has no effect by default.
  ///
  /// The rules of ``completed(_:context:)`` for the type of the value apply.
  func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Returns a replacement for the outcome; returns the same outcome by default.
  ///
  /// Not called for a cancelled dispatch. The rules of ``completed(_:context:)`` for the type of the value
  /// apply.
  func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response>

  /// Receives the final outcome of a dispatch, at most once; has no effect by default.
  ///
  /// Failures and cancellations cause a call. The value of a stream, or of a request of a resumable upload, is
  /// an ``HTTPResponse``. The value of a download is a ``DownloadedFile``. A success with such a value causes
  /// a call only if the value can be cast to ``Response``, or ``Response`` is `Void`.
  func completed(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Receives the end of each stream of the request; has no effect by default.
  ///
  /// Called after ``completed(_:context:)``, for every ``Response`` type; see ``RequestAgent/stream(_:)``.
  /// The value of a success is the head with its trailers.
  func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async
}
