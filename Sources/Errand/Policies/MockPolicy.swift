/// The attempts that ``Request/mockResponse(for:context:)`` answers.
///
/// ```swift
/// var mockPolicy: MockPolicy { .whenFailed }
/// func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
///   HTTPResponse(headers: ["Content-Type": "application/json"], body: Data(#"{"id":7}"#.utf8))
/// }
/// ```
///
/// The agent needs ``AgentConfiguration/allowsMocks``. For tests, use `ErrandMocks`.
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

  /// A mock, if any, after a failure with status 404, if no retry follows and the deadline has not passed.
  public static let whenFailed = MockPolicy(
    storage: .whenFailed { $0.status == 404 }, description: "when failed with 404")

  /// A mock, if any, after a failure for which `condition` returns true.
  ///
  /// The mock is asked only if a request was built, no retry follows, and the deadline has not passed.
  public static func whenFailed(_ condition: @escaping @Sendable (RequestError) -> Bool) -> MockPolicy {
    MockPolicy(storage: .whenFailed(condition), description: "when failed, on a condition")
  }
}

extension MockPolicy: CustomStringConvertible {}
