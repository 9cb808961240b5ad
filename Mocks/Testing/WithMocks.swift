public import ErrandMocks
public import Testing

/// Runs an operation with stubs for the requests of agents.
///
///     try await withMocks(Stub(.get, "/users/7", answers: .json(#"{"id":7}"#))) {
///       #expect(try await app.user(7).id == 7)
///     }
///
/// The function works like the trait `.mocked(…)`. The given stubs come before the stubs of outer scopes.
/// With `allUsed`, a stub that gave fewer answers than expected is an issue. Issues are reported at
/// `sourceLocation`.
public func withMocks<Result>(
  _ stubs: Stub..., allUsed: Bool = false, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, operation: () async throws -> Result
) async rethrows -> Result {
  try await withMocks(
    stubs, allUsed: allUsed, isolation: isolation, sourceLocation: sourceLocation, operation: operation)
}

/// Runs an operation with a list of stubs.
public func withMocks<Result>(
  _ stubs: [Stub], allUsed: Bool = false, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, operation: () async throws -> Result
) async rethrows -> Result {
  let scope = MockScope(stubs, of: MockOwner(.current, at: sourceLocation), allUsed: allUsed)
  return try await scope.runToEnd(operation: operation)
}
