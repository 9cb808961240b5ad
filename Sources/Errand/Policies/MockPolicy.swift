/// The attempts for which ``Request/mockResponse(for:context:)`` provides the response.
///
/// ```swift
/// var mockPolicy: MockPolicy { .whenFailed }
/// func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
///   HTTPResponse(headers: ["Content-Type": "application/json"], body: Data(#"{"id":7}"#.utf8))
/// }
/// ```
///
/// The policy has an effect only with ``AgentConfiguration/allowsMocks``. For tests, use `ErrandMocks`.
public struct MockPolicy: Sendable {
  enum Storage: Sendable {
    case never
    case always
    case whenFailed(@Sendable (RequestError) -> Bool)
  }

  let storage: Storage
  /// The policy as text.
  public let description: String

  /// No mock.
  public static let never = MockPolicy(storage: .never, description: "never")

  /// A mock in place of the transport and the cache, unless `mockResponse` returns `nil`.
  public static let always = MockPolicy(storage: .always, description: "always")

  /// A mock after a failure with status 404, unless `mockResponse` returns `nil`.
  ///
  /// The mock is used only if no retry follows and the deadline has not passed.
  public static let whenFailed = MockPolicy(
    storage: .whenFailed { $0.status == 404 }, description: "when failed with 404")

  /// A mock after a failure for which `condition` returns true, unless `mockResponse` returns `nil`.
  ///
  /// The mock is used only if a request was built, no retry follows, and the deadline has not passed.
  public static func whenFailed(_ condition: @escaping @Sendable (RequestError) -> Bool) -> MockPolicy {
    MockPolicy(storage: .whenFailed(condition), description: "when failed, on a condition")
  }
}

extension MockPolicy: CustomStringConvertible {}
