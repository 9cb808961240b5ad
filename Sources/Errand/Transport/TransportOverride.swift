/// A replacement for the agents' transports in a task and its child tasks.
///
/// A task local, read once at the start of a dispatch.
package final class TransportOverride: Sendable {
  /// The innermost override of the running task; `nil` outside of overrides.
  @TaskLocal package static var current: TransportOverride?

  /// The replacing transport; `nil` for each agent's own transport.
  package let transport: (any Transport)?
  /// The transport as a scope, if the transport observes dispatches outside the override.
  let scope: (any TransportScope)?
  /// A number unique to the override; never 0.
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

/// A transport that temporarily replaces transports, and decides on dispatches that lost the override.
///
/// An agent created or used under a scope remembers the scope. So the scope also decides on the agent's
/// dispatches in tasks without the task local, such as detached tasks.
package protocol TransportScope: Transport, AnyObject {
  /// Returns the transport for a dispatch in the scope by an agent with transport `own`; usually the scope.
  func transport(inPlaceOf own: any Transport) -> any Transport

  /// Returns the transport for a dispatch without ``TransportOverride``, by an agent that remembers `scopes`.
  ///
  /// - Parameters:
  ///   - scopes: the remembered scopes in no order, including this scope.
  ///   - own: the agent's transport.
  /// - Returns: `nil` for the agent's own transport.
  func transport(forStrayAmong scopes: [any TransportScope], inPlaceOf own: any Transport) -> (any Transport)?

  /// Records a dispatch that begins in the scope.
  ///
  /// - Parameters:
  ///   - type: the type of the request.
  ///   - unused: returns the unused properties of the type, as ``UnusedProperties/message``; called once
  ///     per type.
  func notice(_ type: ObjectIdentifier, unused: () -> String?)
}

/// The scopes that an agent remembers, without duplicates.
struct TransportScopes: Sendable {
  private var scopes: [ObjectIdentifier: any TransportScope] = [:]

  mutating func remember(_ scope: any TransportScope) {
    let id = ObjectIdentifier(scope)
    if scopes[id] == nil { scopes[id] = scope }
  }

  /// Returns the transport for a dispatch without override; `nil` for the agent's own transport.
  @inline(__always)
  func transport(inPlaceOf own: any Transport) -> (any Transport)? {
    guard let first = scopes.values.first else { return nil }
    return first.transport(forStrayAmong: Array(scopes.values), inPlaceOf: own)
  }
}
