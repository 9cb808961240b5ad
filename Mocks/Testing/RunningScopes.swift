import Errand

/// The scopes that run at the moment, whoever uses them.
///
/// Work that is detached from its test may be of any of them, also of one whose agents have sent nothing yet.
final class RunningScopes: Sendable {
  /// Those of the process.
  static let all = RunningScopes()

  private let scopes = Locked<[ObjectIdentifier: MockScope]>([:])

  func add(_ scope: MockScope) { scopes.withLock { $0[ObjectIdentifier(scope)] = scope } }

  func remove(_ scope: MockScope) { _ = scopes.withLock { $0.removeValue(forKey: ObjectIdentifier(scope)) } }

  /// The innermost scope within another one, which is itself where there is none in it.
  func innermost(within scope: MockScope) -> MockScope {
    scopes.withLock { Array($0.values) }.map { ($0, $0.depth(within: scope)) }
      .filter { $0.1 != nil }.max { ($0.1 ?? 0) < ($1.1 ?? 0) }?.0 ?? scope
  }

  /// The names of their tests, each once, sorted.
  var names: [String] { Set(scopes.withLock { Array($0.values) }.map(\.owner.name)).sorted() }
}
