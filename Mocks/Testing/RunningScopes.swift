import Errand

final class RunningScopes: Sendable {
  static let all = RunningScopes()

  private let scopes = Locked<[ObjectIdentifier: MockScope]>([:])

  func add(_ scope: MockScope) { scopes.withLock { $0[ObjectIdentifier(scope)] = scope } }

  func remove(_ scope: MockScope) { _ = scopes.withLock { $0.removeValue(forKey: ObjectIdentifier(scope)) } }

  func innermost(within scope: MockScope) -> MockScope {
    scopes.withLock { Array($0.values) }.map { ($0, $0.depth(within: scope)) }
      .filter { $0.1 != nil }.max { ($0.1 ?? 0) < ($1.1 ?? 0) }?.0 ?? scope
  }

  var names: [String] { Set(scopes.withLock { Array($0.values) }.map(\.owner.name)).sorted() }
}
