public import ErrandMocks
public import Testing

/// Runs an operation with stubs for the requests of agents.
///
///     import ErrandTesting
///
///     @Test(arguments: 1...3) func loads(id: Int) async throws {
///       try await withMocks(Stub(.get, "/users/\(id)", answers: try .json(User(id: id)))) {
///         let user = try await app.user(id)
///         #expect(user.id == id)
///       }
///     }
///
/// Works like the trait `.mocked(…)`. The given stubs precede the stubs of outer scopes.
///
/// - Parameters:
///   - stubs: the first matching stub with answers left answers.
///   - allUsed: true if a stub with too few answers is an issue; `false` by default.
///   - isolation: the isolation of the caller.
///   - sourceLocation: the location of issues.
///   - operation: the operation with mocked requests.
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
