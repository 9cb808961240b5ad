/// Whether a request may be answered by its own ``Request/mockResponse(for:context:)``: one immutable value.
///
/// ```swift
/// var mockPolicy: MockPolicy { .whenFailed }
/// func mockResponse(for request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse? {
///   HTTPResponse(headers: ["Content-Type": "application/json"], body: Data(#"{"id":7}"#.utf8))
/// }
/// ```
///
/// For an app whose server is not ready; tests have `ErrandMocks`. It is honoured only by an agent whose
/// ``AgentConfiguration/allowsMocks`` is set. A mock replaces the wire and nothing else: its bytes pass
/// validators, filters and decoding like any answer, and a `nil` one leaves everything as it is without.
public struct MockPolicy: Sendable {
  enum Storage: Sendable {
    case never
    case always
    case whenFailed(@Sendable (RequestError) -> Bool)
  }

  let storage: Storage
  /// What it is, in words.
  public let description: String

  /// The server answers.
  public static let never = MockPolicy(storage: .never, description: "never")

  /// The request answers itself at every attempt, before any socket is opened.
  public static let always = MockPolicy(storage: .always, description: "always")

  /// The request answers itself when the last attempt failed with 404: an endpoint the server does not have yet.
  public static let whenFailed = MockPolicy(
    storage: .whenFailed { $0.status == 404 }, description: "when failed with 404")

  /// The request answers itself when the last attempt failed and `condition` holds for the failure.
  ///
  /// The retry policy has had its say before. Nothing is answered where no request could be built.
  public static func whenFailed(_ condition: @escaping @Sendable (RequestError) -> Bool) -> MockPolicy {
    MockPolicy(storage: .whenFailed(condition), description: "when failed, on a condition")
  }
}

extension MockPolicy: CustomStringConvertible {}
