public import ErrandMocks
public import Testing

/// Answers from stubs whatever an operation dispatches, whichever agent does it; for stubs that are made in a test.
///
///     @Test(arguments: 1...3) func loads(id: Int) async throws {
///       try await withMocks(Stub(.get, "/users/\(id)", answers: try .json(User(id: id)))) {
///         let user = try await app.user(id)
///         #expect(user.id == id)
///       }
///     }
///
/// It is the same as the trait `.mocked(…)`, within a test: these stubs come before those around it.
///
/// What the operation throws is thrown on.
///
/// - Parameters:
///   - stubs: the first that matches answers; their delays take no time, as their clock advances itself.
///   - allUsed: whether a stub that answered less often than it says is an issue of the test; `false` by default.
///   - isolation: the operation's; that of the caller.
///   - sourceLocation: where issues are shown; the call.
///   - operation: what is answered so.
public func withMocks<Result>(
  _ stubs: Stub..., allUsed: Bool = false, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, operation: () async throws -> Result
) async rethrows -> Result {
  try await withMocks(
    stubs, allUsed: allUsed, isolation: isolation, sourceLocation: sourceLocation, operation: operation)
}

/// The same of a list, such as `[Stub(…), Stub(…)].under("https://api.example.com/v1")`.
public func withMocks<Result>(
  _ stubs: [Stub], allUsed: Bool = false, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, operation: () async throws -> Result
) async rethrows -> Result {
  let scope = MockScope(stubs, of: MockOwner(.current, at: sourceLocation), allUsed: allUsed)
  return try await scope.runToEnd(operation: operation)
}
