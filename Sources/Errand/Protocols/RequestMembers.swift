public import ErrandJSON
public import Foundation

/// Makes the compiler refuse frequent wrong types of some ``Request`` members.
///
/// A member such as `var headers: [String: String]` would otherwise compile and be ignored. The wrong types,
/// such as `Dictionary`, have an unavailable conformance to ``RequestValue`` or ``RequestSetting``.
///
/// If your own property needs such a name, declare the associated type:
///
/// ```swift
/// struct Replay: Request {
///   typealias Response = Void
///   typealias HeadersMember = HTTPHeaders  // `headers` below is no member of Request
///   static let domainProperties: Set<String> = ["headers"]
///   let headers: [String: String]
/// }
/// ```
public protocol RequestMembers: HookMembers {
  /// The type of ``headers``.
  associatedtype HeadersMember: RequestValue = HTTPHeaders
  /// The type of ``parameters``.
  associatedtype ParametersMember: RequestValue = Parameters
  /// The type of ``query``.
  associatedtype QueryMember: RequestValue = Parameters
  /// The type of ``body``.
  associatedtype BodyMember: RequestValue = RequestBody
  /// The type of ``timeout``.
  associatedtype TimeoutMember: RequestValue = Duration
  /// The type of ``method``.
  associatedtype MethodMember: RequestSetting = HTTPMethod
  /// The type of ``baseURL``.
  associatedtype BaseURLMember: RequestSetting = URL?
  /// The type of ``deadline``.
  associatedtype DeadlineMember: RequestSetting = Duration?
  /// The type of ``jsonCoding``.
  associatedtype JSONCodingMember: RequestSetting = JSONCoding?
  /// The type of ``jsonDecoder``.
  associatedtype JSONDecoderMember: RequestSetting = JSONDecoder?

  /// See ``Request/headers``.
  var headers: HeadersMember { get }
  /// See ``Request/parameters``.
  var parameters: ParametersMember { get }
  /// See ``Request/query``.
  var query: QueryMember { get }
  /// See ``Request/body``.
  var body: BodyMember { get }
  /// See ``Request/timeout``.
  var timeout: TimeoutMember { get }
  /// See ``Request/method``.
  var method: MethodMember { get }
  /// See ``Request/baseURL``.
  var baseURL: BaseURLMember { get }
  /// See ``Request/deadline``.
  var deadline: DeadlineMember { get }
  /// See ``Request/jsonCoding``.
  var jsonCoding: JSONCodingMember { get }
  /// See ``Request/jsonDecoder``.
  var jsonDecoder: JSONDecoderMember { get }
}

/// A permitted type of `headers`, `parameters`, `query`, `body` or `timeout`; see ``RequestMembers``.
public protocol RequestValue {}

extension HTTPHeaders: RequestValue {}
extension Parameters: RequestValue {}
extension RequestBody: RequestValue {}
extension Duration: RequestValue {}
extension Never: RequestValue {}

@available(
  *, unavailable,
  message:
    "write the type: `headers` is HTTPHeaders, `parameters` and `query` are Parameters, `body` is RequestBody"
)
extension Dictionary: RequestValue {}
@available(
  *, unavailable, message: "write the type: `query` and `parameters` are Parameters, such as [\"page\": 2]"
)
extension Array: RequestValue where Element == URLQueryItem {}
@available(*, unavailable, message: "write the type: `body` is RequestBody, such as .data(bytes)")
extension Data: RequestValue {}
@available(*, unavailable, message: "write the type: `timeout` is Duration, such as .seconds(5)")
extension Double: RequestValue {}
@available(*, unavailable, message: "write the type: `timeout` is Duration, such as .seconds(5)")
extension Int: RequestValue {}
@available(*, unavailable, message: "`headers`, `parameters`, `query`, `body` and `timeout` are not optional")
extension Optional: RequestValue where Wrapped: RequestValue {}
@available(*, unavailable, message: "the first parameter of `filterRequest` is inout HTTPRequest")
extension HTTPRequest: RequestValue {}
@available(*, unavailable, message: "the first parameter of `filterResponse` is inout HTTPResponse")
extension HTTPResponse: RequestValue {}

/// A permitted type of `method` and of optional members such as `baseURL`; see ``RequestMembers``.
public protocol RequestSetting {}

extension HTTPMethod: RequestSetting {}
extension Optional: RequestSetting {}

@available(*, unavailable, message: "write the type: `baseURL` is URL?, with a question mark")
extension URL: RequestSetting {}
@available(
  *, unavailable, message: "write the type: `method` is HTTPMethod, such as .post, and `baseURL` is URL?"
)
extension String: RequestSetting {}
@available(*, unavailable, message: "write the type: `deadline` is Duration?, with a question mark")
extension Duration: RequestSetting {}
@available(*, unavailable, message: "write the type: `deadline` is Duration?, such as .seconds(5)")
extension Double: RequestSetting {}
@available(*, unavailable, message: "write the type: `deadline` is Duration?, such as .seconds(5)")
extension Int: RequestSetting {}
@available(*, unavailable, message: "write the type: `jsonCoding` is JSONCoding?, with a question mark")
extension JSONCoding: RequestSetting {}
@available(*, unavailable, message: "write the type: `jsonDecoder` is JSONDecoder?, with a question mark")
extension JSONDecoder: RequestSetting {}
