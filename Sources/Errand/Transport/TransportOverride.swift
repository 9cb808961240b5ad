/// A task-local replacement for the transports of agents.
///
/// An override without a `transport` lets the agents use their own transports again.
package final class TransportOverride: Sendable {
  @TaskLocal package static var current: TransportOverride?
  static var currentNumber: UInt64 { current?.number ?? 0 }

  package let transport: (any Transport)?
  let scope: (any TransportScope)?
  /// Never 0, because `currentNumber` is 0 without an override.
  let number: UInt64

  private static let last = Locked<UInt64>(0)

  package init(_ transport: (any Transport)?) {
    number = Self.last.withLock { last in
      last += 1
      return last
    }
    self.transport = transport
    scope = transport as? any TransportScope
  }
}

/// A transport for overrides.
///
/// A scope also serves stray dispatches, which run in tasks without the task-local value.
package protocol TransportScope: Transport, AnyObject {
  func transport(inPlaceOf own: any Transport) -> any Transport

  /// Returns the transport for a stray dispatch; `nil` keeps the agent's transport.
  ///
  /// The agent of the dispatch was created or used under the `scopes`.
  func transport(forStrayAmong scopes: [any TransportScope], inPlaceOf own: any Transport) -> (any Transport)?

  /// Reports unused properties of a request type. `unused` returns the message; `nil` if all are used.
  func notice(_ type: ObjectIdentifier, unused: () -> String?)
}

struct TransportScopes: Sendable {
  private var scopes: [ObjectIdentifier: any TransportScope] = [:]

  mutating func remember(_ scope: any TransportScope) {
    let id = ObjectIdentifier(scope)
    if scopes[id] == nil { scopes[id] = scope }
  }

  @inline(__always)
  func transport(inPlaceOf own: any Transport) -> (any Transport)? {
    guard let first = scopes.values.first else { return nil }
    return first.transport(forStrayAmong: Array(scopes.values), inPlaceOf: own)
  }
}
