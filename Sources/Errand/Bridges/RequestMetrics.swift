#if SwiftMetrics
public import CoreMetrics

/// Records how long each attempt took that was sent, with swift-metrics; with the trait `SwiftMetrics` only.
///
/// ```swift
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [RequestMetrics()])
/// ```
///
/// It is the histogram ``TelemetryAttributes/durationName`` of OpenTelemetry, in seconds, with ``TelemetryAttributes/forMetrics`` as dimensions. Give
/// your backend the ``TelemetryAttributes/durationBuckets``: swift-metrics has no place for them. What a cache or a mock answered is not
/// recorded.
public struct RequestMetrics: Accessory {
  private let factory: (any MetricsFactory)?

  /// Makes an accessory.
  ///
  /// - Parameter factory: makes the recorders; `nil`, the default, is the one of `MetricsSystem`.
  public init(factory: (any MetricsFactory)? = nil) { self.factory = factory }

  /// Records it.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    guard attempt.sentCount > 0 else { return }
    let dimensions = attempt.attributes().forMetrics.texts.map { ($0.name, $0.text) }
    Recorder(
      label: TelemetryAttributes.durationName, dimensions: dimensions, aggregate: true,
      factory: factory ?? MetricsSystem.factory
    ).record(attempt.requestDuration)
  }
}
#endif
