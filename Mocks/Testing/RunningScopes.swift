import Errand

/// The currently running mock scopes.
///
/// Work detached from a test may belong to any running scope, including a scope whose agents have sent
/// nothing yet.
final class RunningScopes: Sendable {
  /// The running scopes of the process.
  static let all = RunningScopes()

  private let scopes = Locked<[ObjectIdentifier: MockScope]>([:])

  func add(_ scope: MockScope) { scopes.withLock { $0[ObjectIdentifier(scope)] = scope } }

  func remove(_ scope: MockScope) { _ = scopes.withLock { $0.removeValue(forKey: ObjectIdentifier(scope)) } }

  /// Returns the innermost running scope within a scope, or the scope itself if there is no inner scope.
  func innermost(within scope: MockScope) -> MockScope {
    scopes.withLock { Array($0.values) }.map { ($0, $0.depth(within: scope)) }
      .filter { $0.1 != nil }.max { ($0.1 ?? 0) < ($1.1 ?? 0) }?.0 ?? scope
  }

  /// The names of the scopes' tests, sorted and without duplicates.
  var names: [String] { Set(scopes.withLock { Array($0.values) }.map(\.owner.name)).sorted() }
}
