/// The attempts that ``Request/mockResponse(for:context:)`` answers.
///
/// ```swift
/// var mockPolicy: MockPolicy { .whenFailed }
/// func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
///   HTTPResponse(headers: ["Content-Type": "application/json"], body: Data(#"{"id":7}"#.utf8))
/// }
/// ```
///
/// Use a mock while the server is unfinished; for tests, use `ErrandMocks`. Only agents with
/// ``AgentConfiguration/allowsMocks`` call `mockResponse`. A mock replaces the cache and the transport. The
/// mock response passes validators, filters and decoding. If `mockResponse` returns `nil`, there is no mock.
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

  /// A mock in every attempt.
  public static let always = MockPolicy(storage: .always, description: "always")

  /// A mock if no retry follows a failure with status 404, for an endpoint missing on the server.
  public static let whenFailed = MockPolicy(
    storage: .whenFailed { $0.status == 404 }, description: "when failed with 404")

  /// A mock if no retry follows a failure and `condition` returns true for the failure.
  ///
  /// The mock answers in an additional attempt. There is no mock if the request could not be built. After the
  /// deadline, the dispatch fails with ``RequestError/Kind/deadlineExceeded`` instead.
  public static func whenFailed(_ condition: @escaping @Sendable (RequestError) -> Bool) -> MockPolicy {
    MockPolicy(storage: .whenFailed(condition), description: "when failed, on a condition")
  }
}

extension MockPolicy: CustomStringConvertible {}
