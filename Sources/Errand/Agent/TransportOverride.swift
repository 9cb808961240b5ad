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
