public import Errand

/// Second copies of slow requests: usually, the first answer wins, and the other request is cancelled.
///
/// ```swift
/// configuration.hedging = Hedging()
/// ```
///
/// A copy may be sent if the response head takes longer than most of the endpoint's recent response heads. An
/// endpoint is a method, a URL template, an origin and a `limitKey`.
///
/// Only requests with an idempotent method and without a body stream may get a copy. Streamed responses,
/// downloads and redirect targets get no copy. `RetryPolicy.none` of a request prevents copies.
///
/// A copy has the same fields as the request, including the signature, the idempotency key, and the field of
/// ``DeadlinePropagation/header``. A server that accepts each signature only once rejects the later request.
public struct Hedging: Sendable, Hashable {
  /// The share of recent responses that are faster than the delay of a copy, within 0.5...0.999; 0.95 by
  /// default.
  public var percentile: Double
  /// The largest share of an endpoint's requests that get a copy, within 0...1; 0.05 by default.
  ///
  /// Unused copies are saved for later requests, up to 10 for each endpoint. A copy also counts for the retry
  /// budget.
  public var share: Double
  /// The number of measured responses of an endpoint before the first copy, within 1...200; 50 by default.
  public var minimumSamples: Int
  /// The shortest delay of a copy; 1 ms by default.
  public var minimumDelay: Duration

  /// Creates settings.
  ///
  /// A number outside the range counts as the nearest number in the range.
  public init(
    percentile: Double = 0.95, share: Double = 0.05, minimumSamples: Int = 50,
    minimumDelay: Duration = .milliseconds(1)
  ) {
    (self.percentile, self.share) = (percentile, share)
    (self.minimumSamples, self.minimumDelay) = (minimumSamples, minimumDelay)
  }
}

extension AgentConfiguration {
  /// The rules of second copies; `nil`, the default: no copies.
  ///
  /// Each agent measures its own latencies.
  public var hedging: Hedging? {
    get { (hedger as? Hedger)?.rules }
    set { hedger = newValue.map { Hedger($0) } }
  }
}

extension AttemptReport {
  /// The decision about a second copy of the attempt's first request.
  public struct Hedge: Sendable, Hashable {
    /// The reason for or against a copy, as a clause.
    public let reason: String
    /// The time from the start of the request until a copy was due; `nil`: no copy was planned.
    public let delay: Duration?
    /// The start of the copy, counted from the start of the request; `nil`: no copy was sent.
    public let begun: Duration?
    /// True if the attempt used the response to the copy.
    public let isWonByCopy: Bool
  }

  /// The decision about a second copy; `nil`: hedging is off, or nothing was sent.
  public var hedge: Hedge? {
    load?.hedge.map {
      Hedge(
        reason: $0.reason, delay: $0.delay, begun: $0.copy?.begun, isWonByCopy: $0.copy?.isWinner == true)
    }
  }
}
