import Errand
import ErrandTelemetry
import Metrics

/// Records with swift-metrics how long each attempt took, in seconds, by the names of OpenTelemetry.
///
/// An attempt without a sent request, such as an answer of the cache, is not recorded.
struct RequestMetrics {
  var factory: any MetricsFactory = MetricsSystem.factory
}

extension RequestMetrics: Accessory {
  func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    guard attempt.sentCount > 0 else { return }
    let dimensions = attempt.attributes().forMetrics.texts.map { ($0.name, $0.text) }
    let recorder = Recorder(
      label: TelemetryAttributes.durationName, dimensions: dimensions, aggregate: true, factory: factory)
    recorder.record(attempt.requestDuration)
  }
}
