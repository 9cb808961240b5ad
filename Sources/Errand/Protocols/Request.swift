import ErrandJSON
public import Foundation

/// One endpoint: what is sent, how the answer is judged and decoded, and what happens around it.
///
/// Everything but ``Response`` has a default (see the extension), so that a minimal endpoint is a path:
///
/// ```swift
/// struct GetUser: Request {
///   typealias Response = User
///   var id: Int
///   var path: String { "users/\(id)" }
/// }
/// ```
///
/// House rules for a whole API go into a refining protocol with an extension. Synchronous requirements are read off
/// the main actor; an `async` hook marked `@MainActor` runs there. A conforming type keeps no state of a dispatch:
/// the same value may be sent many times at once.
public protocol Request<Response>: RequestMembers {
  /// The value a dispatch gives: `Decodable` (JSON by default), `Data`, `String`, `Void` or ``HTTPResponse``.
  associatedtype Response: Sendable

  /// The base of ``path``; `nil`, the default, takes the agent's.
  var baseURL: URL? { get }
  /// Joined to the path of the base by components; `""` by default. A leading `/` keeps the base's path, a query in
  /// it is kept, and an absolute URL replaces the base. Text from outside goes in as `\(segment: name)`, which keeps it one segment.
  var path: String { get }
  /// `GET` by default.
  var method: HTTPMethod { get }
  /// Override the agent's headers; empty by default. `Host`, `Content-Length` and `Transfer-Encoding` are refused.
  var headers: HTTPHeaders { get }
  /// Empty by default. For `GET`, `HEAD` and `DELETE`, and beside a ``body``, the query, otherwise the body by ``requestSerializer``.
  var parameters: Parameters { get }
  /// Always the query, after any in ``path``; empty by default.
  var query: Parameters { get }
  /// `.automatic` by default: derived from ``parameters``. Any other leaves the parameters to the query.
  var body: RequestBody { get }
  /// What follows the body; `.none` by default. With any the body is sent in chunks.
  var trailers: RequestTrailers { get }
  /// How ``parameters`` are written; `.form` by default.
  var requestSerializer: RequestSerializer { get }
  /// How the value is made; by the type of ``Response`` by default.
  var responseSerializer: any ResponseSerializer<Response> { get }
  /// How JSON is read and written, such as `.snakeCase.iso8601`; `nil`, the default, takes the agent's. House decoding goes here.
  var jsonCoding: JSONCoding? { get }
  /// Decodes JSON instead of ``jsonCoding``; `nil`, the default, decodes by that. Read for each decoding, and used as it is.
  var jsonDecoder: JSONDecoder? { get }
  /// Encodes JSON bodies instead of ``jsonCoding``; `nil`, the default, encodes by that. Read for each body, and used as it is.
  var jsonEncoder: JSONEncoder? { get }
  /// Judge the response before decoding, in order; status 200..<300 by default.
  var validators: [any ResponseValidator] { get }
  /// What is tried again; `.inherited` by default: the agent's, itself `.none`.
  var retryPolicy: RetryPolicy { get }
  /// Whether redirects are followed; `.inherited` by default: the agent's, itself up to 10 an attempt.
  var redirectPolicy: RedirectPolicy { get }
  /// Whether ``mockResponse(for:context:)`` may answer; `.never` by default, and never where the agent does not allow it.
  var mockPolicy: MockPolicy { get }
  /// Whose credentials it carries; `.inherited` by default: the agent's authenticator.
  ///
  /// `.none` for public endpoints, and for those that fetch or renew credentials.
  var authentication: Authentication { get }
  /// Whether it shares one transfer with identical requests in flight; `.none` by default.
  var coalescing: CoalescingPolicy { get }
  /// How long an attempt may be without progress, fractions included; ``AgentConfiguration/timeout``, itself 60 seconds, by default.
  ///
  /// A request that states none reads as 60 seconds here, whatever the agent has; ``RequestAgent/explain(_:)`` tells which one holds.
  var timeout: Duration { get }
  /// How long the whole dispatch may take, with all attempts and waits; `nil`, the default, takes ``AgentConfiguration/deadline``, itself
  /// no limit.
  ///
  /// It counts on the agent's clock, also while the dispatch is suspended, or waits for its turn or a slot. Past it the transfer is ended and the
  /// dispatch fails with ``RequestError/Kind/deadlineExceeded``, without a retry; a wait that would end past it is not
  /// begun, and the last failure stands. A hook that runs is awaited, and what follows the attempts is not measured.
  var deadline: Duration? { get }
  /// Which of those that wait for a slot of one origin starts first; `.default` by default.
  ///
  /// Also handed to the transport, in ``TransportRequest/priority``.
  var priority: RequestPriority { get }
  /// Which cookies it sends and takes; `.inherited`, those of ``AgentConfiguration/cookies``, by default.
  var cookies: CookiePolicy { get }
  /// Whether the agent's cache answers it, and keeps its answer; `.inherited`, ``AgentConfiguration/cachePolicy``, by default.
  ///
  /// It does nothing where ``AgentConfiguration/cache`` is `nil`, as it is by default.
  var cachePolicy: CachePolicy { get }
  /// Over which kinds of network it may go; `.all` by default.
  ///
  /// With fewer it fails with ``RequestError/Kind/unsupported`` before anything is sent where the transport cannot choose, as
  /// none can on Linux; see ``TransportCapabilities/choosesNetworks``. Where there is no other network it fails with
  /// ``RequestError/Kind/connectionFailed``. Such a request shares no transfer with others.
  var networkAccess: NetworkAccess { get }
  /// Whether it runs alone among the serial requests of its agent, in the order in which they came; `false` by default.
  ///
  /// It has its turn until no attempt is to follow, so with all retries and their waits, and in a stream until the body
  /// has ended; ``priority`` makes no difference. A hook that runs meanwhile must not send a serial request and wait for
  /// it: its turn would never come.
  var isSerial: Bool { get }
  /// How much a transfer may take; `nil`, the default, takes the agent's limits.
  var limits: TransferLimits? { get }
  /// Whether the CDN base is used instead of the base; `false` by default.
  var usesCDN: Bool { get }
  /// The CDN base; `nil`, the default, takes the agent's. With neither, ``usesCDN`` is an error.
  var cdnURL: URL? { get }
  /// A number carried to every hook and event; 0 by default.
  var tag: Int { get }
  /// Values carried to every hook and event; empty by default.
  var userInfo: [String: any Sendable] { get }
  /// Watch this request, after the agent's; empty by default.
  var accessories: [any Accessory] { get }
  /// Hidden in everything that is printed about the request, such as one in its ``path``; empty by default.
  ///
  /// Those in ``parameters``, ``query`` and a JSON ``body``, and those stored in a struct that conforms, are found without it.
  /// Read when something is printed.
  var secrets: [Secret] { get }
  /// Shown in logs; `nil` by default.
  var comment: String? { get }
  /// The path for telemetry, with names in the place of what varies: `/users/{id}`; `nil` by default.
  ///
  /// Asked by ``AttemptReport/attributes(requestHeaders:responseHeaders:)`` only. Where it is `nil`, the names are those of stored
  /// properties that are segments of the path; state it where those have texts that a user wrote, or parts of segments.
  var urlTemplate: String? { get }
  /// Sent as it is instead of all above that describes the wire; `nil` by default. Hooks still run.
  var customRequest: HTTPRequest? { get }
  /// By what the server knows the request again; `.none` by default. With one, a ``RetryPolicy`` may repeat a `POST`.
  var idempotencyKey: IdempotencyKey { get }

  /// The names of stored properties that are no members of this protocol, though they look like one; empty by default.
  ///
  /// A stored property of a member's name and another type, such as `let headers: [String: String]`, compiles and is not
  /// used; one that nearly has its name, such as `header` or `timeOut`, neither. ``RequestAgent/explain(_:)`` lists them, a
  /// debug build says so on standard error when it first dispatches the type (on Apple platforms as a fault in the log), and
  /// in a test with mocks of `ErrandTesting` it is an issue. What is meant so is named here:
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
  /// Only structs are looked into, and none with a mirror of its own: what an object stores may change meanwhile.
  static var domainProperties: Set<String> { get }

  /// Changes the request, once per attempt and once for each redirect it follows, before the agent's hooks.
  ///
  /// Changes nothing by default. Each time it gets a request without what it did before. A throw ends the attempt
  /// with ``RequestError/Kind/hook``.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws

  /// Decides whether a redirect is followed; `response` is its head, the body is not read yet.
  ///
  /// Asked before the agent's hooks; follows by default. `request` is what follows by the rules of ``RedirectPolicy``, before `filterRequest`: method, body, credentials
  /// and URL may be changed, and the result is judged again. ``RedirectPolicy/Decision/stop`` gives the 3xx with its body
  /// to the validators. A throw ends the attempt with ``RequestError/Kind/hook``.
  func redirectDecision(
    to request: inout HTTPRequest, from response: HTTPResponse, context: RequestContext
  ) async throws -> RedirectPolicy.Decision

  /// Answers instead of the server, when ``mockPolicy`` and the agent's configuration say so; `nil`, the default, does
  /// not.
  ///
  /// `request` is what would be sent, or what failed. The response passes validators, filters and decoding. A thrown
  /// ``TransportError`` fails the attempt as the wire would, anything else with ``RequestError/Kind/hook``.
  func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse?

  /// Changes a response that passed every validator, before decoding and before the agent's hooks; changes nothing
  /// by default. A throw ends the attempt with ``RequestError/Kind/hook``.
  func filterResponse(_ response: inout HTTPResponse, context: RequestContext) async throws

  /// Decides whether a failed attempt is made again; the suggestion of ``retryPolicy`` by default.
  func retryDecision(
    for error: RequestError, suggested: RetryPolicy.Decision, context: RequestContext
  ) async -> RetryPolicy.Decision

  /// Sees the outcome before anyone is told, off the main actor; does nothing by default.
  func preprocess(_ outcome: Outcome<Response>, context: RequestContext) async

  /// May replace the outcome: rewrite, reject, recover; keeps it by default. Not called when it is cancelled.
  func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response>

  /// Is told the outcome, exactly once; does nothing by default.
  ///
  /// Of a stream it is told where there is such an outcome; ``streamed(_:context:)`` is told of every one.
  func completed(_ outcome: Outcome<Response>, context: RequestContext) async

  /// Is told, exactly once, how a stream of the request ended, whatever ``Response`` is: see ``RequestAgent/stream(_:)``.
  ///
  /// It comes after ``completed(_:context:)``. The value of a success is the head, with its trailers. Does nothing by default.
  func streamed(_ outcome: Outcome<HTTPResponse>, context: RequestContext) async
}
