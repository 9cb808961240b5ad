/// The conditions for a request to answer itself with ``Request/mockResponse(for:context:)``, as an immutable value.
///
/// ```swift
/// var mockPolicy: MockPolicy { .whenFailed }
/// func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
///   HTTPResponse(headers: ["Content-Type": "application/json"], body: Data(#"{"id":7}"#.utf8))
/// }
/// ```
///
/// For apps whose server is not ready; for tests use `ErrandMocks`. Only agents with ``AgentConfiguration/allowsMocks`` use mocks of
/// requests. A mock replaces only the transport: the bytes pass validators, filters and decoding like any response. A mock of `nil` changes
/// nothing.
public struct MockPolicy: Sendable {
  enum Storage: Sendable {
    case never
    case always
    case whenFailed(@Sendable (RequestError) -> Bool)
  }

  let storage: Storage
  /// The policy as text.
  public let description: String

  /// The server answers.
  public static let never = MockPolicy(storage: .never, description: "never")

  /// The request answers itself at every attempt, before any socket is opened.
  public static let always = MockPolicy(storage: .always, description: "always")

  /// The request answers itself if the last attempt failed with 404, for an endpoint missing on the server.
  public static let whenFailed = MockPolicy(
    storage: .whenFailed { $0.status == 404 }, description: "when failed with 404")

  /// The request answers itself if the last attempt failed and `condition` returns true for the failure.
  ///
  /// The retry policy decides first. A request that could not be built has no mock.
  public static func whenFailed(_ condition: @escaping @Sendable (RequestError) -> Bool) -> MockPolicy {
    MockPolicy(storage: .whenFailed(condition), description: "when failed, on a condition")
  }
}

extension MockPolicy: CustomStringConvertible {}
