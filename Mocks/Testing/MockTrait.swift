import Errand
import ErrandMocks
public import Testing

/// Gives each test mocks of its own; made by `.mocked(…)` and `.unmocked`.
///
/// On a suite it gives them to each of its tests, and to each case of a parameterised one. See ``MockScope`` for what
/// they cover.
public struct MockTrait: TestTrait, SuiteTrait, TestScoping {
  /// Makes the scope of a test; `nil` for agents' own transports.
  let makeScope: @Sendable (Test) throws -> MockScope?

  /// `true`: each test of a suite has mocks of its own.
  public var isRecursive: Bool { true }

  /// Runs a test in a new scope.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard let scope = try makeScope(test) else {
      return try await TransportOverride.$current.withValue(TransportOverride(nil), operation: function)
    }
    defer { scope.end() }
    try await scope.run(operation: function)
  }
}
