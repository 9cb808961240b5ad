public import Errand
public import ErrandMocks
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
    try await scope.runToEnd(operation: function)
  }
}

extension Trait where Self == MockTrait {
  /// Answers from stubs whatever the test dispatches, whichever agent does it:
  /// `@Test(.mocked(Stub(.get, "/users/7", answers: .json(…))))`.
  ///
  /// Only the wire is replaced, and that of every agent, also of one with the platform's transport that the whole app
  /// shares. Tests run in parallel: each has stubs of its own, at the beginning of their answers. A request that no stub
  /// answers fails, and is an issue of the test. The stubs of a test come before those of its suites.
  ///
  /// An agent with a `MockTransport` of its own, such as one of `RequestAgent.mocked(Stub(…))`, asks that first; the stubs of the trait
  /// answer what its own do not. A scenario of which names are misspelt is an issue.
  ///
  /// Delays of the stubs take no time, as their clock advances itself. Waits of an agent, such as those before a retry,
  /// pass on its own clock: by an agent that the test makes with `RequestAgent.mocked()` they take no time either.
  ///
  /// - Parameters:
  ///   - stubs: the first that matches answers.
  ///   - allUsed: whether a stub that answered less often than it says is an issue of the test; `false` by default.
  ///   - sourceLocation: where issues are shown; the trait.
  public static func mocked(
    _ stubs: Stub..., allUsed: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) -> MockTrait {
    mocked(stubs, allUsed: allUsed, sourceLocation: sourceLocation)
  }

  /// The same of a list, such as `[Stub(…), Stub(…)].under("https://api.example.com/v1")`.
  public static func mocked(
    _ stubs: [Stub], allUsed: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) -> MockTrait {
    MockTrait { MockScope(stubs, of: MockOwner($0, at: sourceLocation), allUsed: allUsed) }
  }

  /// Answers from a transport that is made anew for each test, and for each case of a parameterised one:
  /// `@Test(.mocked(by: { try RecordingTransport(file) }))`.
  ///
  /// It alone answers, whatever its suites have. What the closure throws fails the test. A `RecordingTransport` is saved
  /// at the end of the test; where it records, each test needs a file of its own.
  ///
  /// - Parameters:
  ///   - makeTransport: called in the task of the test, before it.
  ///   - allUsed: whether a stub or an entry that answered nothing is an issue of the test; `false` by default.
  ///   - sourceLocation: where issues are shown; the trait.
  public static func mocked(
    by makeTransport: @escaping @Sendable () throws -> any Transport, allUsed: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> MockTrait {
    MockTrait { MockScope(try makeTransport(), of: MockOwner($0, at: sourceLocation), allUsed: allUsed) }
  }

  /// Lets agents use their own transports, in a test whose suite is mocked.
  public static var unmocked: MockTrait { MockTrait { _ in nil } }
}
