public import Errand

/// A limit on simultaneous attempts that follows the measured latency of each server.
///
/// ```swift
/// configuration.adaptiveConcurrency = AdaptiveConcurrency(ceiling: 64)
/// ```
///
/// The limit usually rises while the latency of the server stays low, and falls while attempts wait in the
/// server. Each origin has a separate limit for each `limitKey`. Requests with a coalescing policy usually do
/// not change the limit, because several dispatches may share a transfer.
public struct AdaptiveConcurrency: Sendable, Hashable {
  /// The smallest limit, from 1 to 1,000,000; 1 by default.
  public var floor: Int
  /// The largest limit, from ``floor`` to 1,000,000; 200 by default.
  public var ceiling: Int
  /// The limit before the first measurements; 10 by default.
  public var start: Int
  /// The accepted latency as a multiple of the latency of an idle server, at least 1; 1.5 by default.
  ///
  /// A higher number tolerates more variation of the latency, but lets more attempts wait in the server.
  public var tolerance: Double

  /// Creates settings.
  ///
  /// A number outside the range counts as the nearest number in the range.
  public init(floor: Int = 1, ceiling: Int = 200, start: Int = 10, tolerance: Double = 1.5) {
    (self.floor, self.ceiling, self.start, self.tolerance) = (floor, ceiling, start, tolerance)
  }
}

extension AgentConfiguration {
  /// The adaptive limit in place of ``/Errand/AgentConfiguration/maxRequestsPerOrigin``; `nil`, the default:
  /// none.
  ///
  /// The limit of all origins, ``/Errand/AgentConfiguration/maxRequests``, stays in force.
  public var adaptiveConcurrency: AdaptiveConcurrency? {
    get { (concurrency as? GradientLimit)?.settings }
    set { concurrency = newValue.map { GradientLimit($0) } }
  }
}

extension RequestAgent {
  /// Returns the present limit on simultaneous attempts of a URL's origin; `nil` without an adaptive limit.
  ///
  /// `key` is the ``/Errand/Request/limitKey`` of the requests; `nil` by default.
  public func adaptiveLimit(of url: String, key: String? = nil) -> Int? {
    slots.algorithm(of: url, key: key)?.limit
  }
}

extension AttemptReport {
  /// The adaptive limit after the attempt; `nil` without an adaptive limit, and for an unmeasured attempt.
  public var adaptiveLimit: Int? { load?.limit }

  /// The reason for a change of ``adaptiveLimit`` by the attempt, as a clause; `nil`: no change.
  public var adaptiveLimitReason: String? { load?.limitReason }
}
