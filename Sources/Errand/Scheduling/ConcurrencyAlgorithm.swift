/// Finds the maximum number of simultaneous attempts of an origin from measured latencies.
///
/// Each origin and limit key has a separate copy. The lock of ``OriginSlots`` guards the copies.
package protocol ConcurrencyAlgorithm: Sendable {
  /// The present limit, at least 1.
  var limit: Int { get }
  /// The limit and its bounds in words.
  var summary: String { get }
  /// Adapts the limit to a sample; returns the reason for a change as a clause, or `nil` without a change.
  mutating func record(_ sample: ConcurrencySample) -> String?
}

/// The end of an attempt, for a ``ConcurrencyAlgorithm``.
package struct ConcurrencySample: Sendable {
  /// The time from the start of the transfer to the release of the slot.
  package var latency: Duration
  /// True after a timeout or a status such as 503, as signs of an overloaded server.
  package var isOverload: Bool
  /// The number of held slots of the origin and limit key, including the slot of the ended attempt.
  package var running: Int
  /// True if further attempts waited for a slot of the origin.
  package var hasWaiters: Bool

  package init(latency: Duration, isOverload: Bool = false, running: Int, hasWaiters: Bool) {
    (self.latency, self.isOverload) = (latency, isOverload)
    (self.running, self.hasWaiters) = (running, hasWaiters)
  }
}

/// The limit after a sample.
struct ConcurrencyDecision: Sendable {
  let limit: Int
  /// The reason for a change as a clause; `nil`: the limit did not change.
  let reason: String?
}
