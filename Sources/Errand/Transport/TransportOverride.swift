/// What answers in place of agents' own transports in a task and its child tasks.
///
/// A task local, looked up once when a dispatch begins; where there is none, that is all it costs.
package final class TransportOverride: Sendable {
  /// The innermost one of the running task; `nil` outside of every one.
  @TaskLocal package static var current: TransportOverride?

  /// What answers; `nil` for each agent's own transport.
  package let transport: (any Transport)?
  /// The transport, when it wants to know what misses it.
  let scope: (any TransportScope)?
  /// No other override has it; never 0.
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

/// A transport that stands in for others for a while, and judges the dispatches that miss it.
///
/// An agent that was made or used under one remembers it, so that work which lost its task local is noticed.
package protocol TransportScope: Transport, AnyObject {
  /// What answers a dispatch in it by an agent whose transport is `own`; itself, unless the agent's has something to say.
  func transport(inPlaceOf own: any Transport) -> any Transport

  /// What answers a dispatch under no ``TransportOverride``, by an agent that remembers `scopes`.
  ///
  /// - Parameters:
  ///   - scopes: in no order; this one is among them.
  ///   - own: the agent's transport.
  /// - Returns: `nil` for the agent's own transport.
  func transport(forStrayAmong scopes: [any TransportScope], inPlaceOf own: any Transport) -> (any Transport)?

  /// Is told of each dispatch that begins in it.
  ///
  /// - Parameters:
  ///   - type: the request's.
  ///   - unused: what the type stores in vain, as ``UnusedProperties/message``; to be asked once for a type.
  func notice(_ type: ObjectIdentifier, unused: () -> String?)
}

/// The scopes an agent remembers, each once.
struct TransportScopes: Sendable {
  private var scopes: [ObjectIdentifier: any TransportScope] = [:]

  mutating func remember(_ scope: any TransportScope) {
    let id = ObjectIdentifier(scope)
    if scopes[id] == nil { scopes[id] = scope }
  }

  /// What answers a dispatch under no override; `nil` for the agent's own transport.
  @inline(__always)
  func transport(inPlaceOf own: any Transport) -> (any Transport)? {
    guard let first = scopes.values.first else { return nil }
    return first.transport(forStrayAmong: Array(scopes.values), inPlaceOf: own)
  }
}
