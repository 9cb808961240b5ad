public import Errand
public import ErrandMocks
public import Testing

/// A trait that runs each test in a separate scope with `.mocked(…)`, or in no scope with `.unmocked`.
///
/// Each case of a parameterized test has its own scope. On a suite, the trait applies to each test inside.
/// ``MockScope`` describes the covered requests.
public struct MockTrait: TestTrait, SuiteTrait, TestScoping {
  /// Returns `nil` for `.unmocked`.
  let makeScope: @Sendable (Test) throws -> MockScope?

  /// True, so that the trait of a suite applies to each test inside.
  public var isRecursive: Bool { true }

  /// Runs a test case in a new scope; for `.unmocked`, agents use their own transports.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard let scope = try makeScope(test) else {
      return try await TransportOverride.$current.withValue(TransportOverride(nil), operation: function)
    }
    try await scope.runToEnd(operation: function)
  }
}

extension Trait where Self == MockTrait {
  /// Returns a trait with stubs for the requests of the test.
  ///
  /// Example: `@Test(.mocked(Stub(.get, "/users/7", answers: .json(…))))`.
  ///
  /// The trait replaces the network, also for an app's shared agent. Stubs of a test come before stubs of its
  /// suites. Delays of the stubs take no time. Waits of an agent, such as before a retry, use the agent's
  /// clock. With `allUsed`, a stub that gave fewer answers than expected is an issue.
  public static func mocked(
    _ stubs: Stub..., allUsed: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) -> MockTrait {
    mocked(stubs, allUsed: allUsed, sourceLocation: sourceLocation)
  }

  /// Returns a trait with a list of stubs.
  public static func mocked(
    _ stubs: [Stub], allUsed: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) -> MockTrait {
    MockTrait { MockScope(stubs, of: MockOwner($0, at: sourceLocation), allUsed: allUsed) }
  }

  /// Returns a trait that makes a transport for each test and for each case of a parameterized test.
  ///
  /// Example: `@Test(.mocked(by: { try RecordingTransport(file) }))`.
  ///
  /// Stubs of outer suites and of earlier traits do not answer. A `RecordingTransport` is saved at the end of
  /// the test; each recording test needs a separate file. With `allUsed`, a stub with too few answers, or an
  /// unused entry, is an issue.
  public static func mocked(
    by makeTransport: @escaping @Sendable () throws -> any Transport, allUsed: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> MockTrait {
    MockTrait { MockScope(try makeTransport(), of: MockOwner($0, at: sourceLocation), allUsed: allUsed) }
  }

  /// A trait that lets agents use their own transports in a test of a mocked suite.
  public static var unmocked: MockTrait { MockTrait { _ in nil } }
}
