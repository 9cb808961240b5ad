import Errand

/// Adapts a limit by the ratio of the latency without a queue to the present latency.
///
/// The attempts form windows. A window has at least 10 attempts, and at least as many attempts as the limit.
/// After a window, the limit usually moves toward `limit × gradient + √limit`. The gradient is
/// `tolerance × latency without a queue / mean latency of the window`, within 0.5...1.
///
/// The latency under load includes the time in a queue of the server. So at intervals, the limit falls below
/// the capacity of the server, and a probe measures the latency without a queue.
struct GradientLimit: ConcurrencyAlgorithm {
  private enum Phase {
    case loaded
    /// The probe waits for the end of the attempts that started before the probe.
    case draining(remaining: Int)
    case probing
  }

  let settings: AdaptiveConcurrency
  private(set) var limit: Int
  /// The limit outside of probes, before rounding.
  private var estimate: Double
  private var phase = Phase.loaded
  private var window = LatencyWindow()
  /// The mean latency without a queue in seconds; `nil` until a window has a latency.
  private(set) var baseline: Double?
  /// True until a window shows a queue or an overload.
  ///
  /// Until then, the limit rises without smoothing.
  private var isStarting = true
  private var windowsSinceProbe = 0
  /// The estimate after the last probe.
  ///
  /// A much lower estimate may come from an outdated baseline.
  private var probedEstimate = 0.0

  /// The largest allowed limit, because the conversion of a larger estimate to `Int` could trap.
  private static var largestLimit: Int { 1_000_000 }
  private static var smallestWindow: Int { 10 }
  private static var smallestProbe: Int { 20 }
  private static var smoothing: Double { 0.3 }
  private static var windowsBetweenProbes: Int { 60 }
  private static var windowsAfterFall: Int { 5 }

  init(_ settings: AdaptiveConcurrency) {
    self.settings = settings
    estimate = Double(settings.start)
    limit = 1
    estimate = bounded(estimate)
    limit = Int(estimate)
    probedEstimate = estimate
  }

  var summary: String { "\(limit) at once, between \(floor) and \(ceiling) by latency" }

  mutating func record(_ sample: ConcurrencySample) -> String? {
    let before = limit
    var reason: String?
    switch phase {
    case .loaded:
      window.add(sample, limit: limit, baseline: baseline)
      if window.count >= max(Self.smallestWindow, limit) { reason = endWindow(running: sample.running) }
    case .draining(let remaining):
      phase = remaining > 1 ? .draining(remaining: remaining - 1) : .probing
    case .probing:
      window.add(sample, limit: limit, baseline: baseline)
      if window.count >= max(Self.smallestProbe, limit) { reason = endProbe() }
    }
    return limit == before ? nil : reason
  }

  private var floor: Int { min(max(settings.floor, 1), Self.largestLimit) }
  private var ceiling: Int { min(max(settings.ceiling, floor), Self.largestLimit) }
  private var tolerance: Double { settings.tolerance >= 1 ? settings.tolerance : 1 }

  private func bounded(_ estimate: Double) -> Double { min(max(estimate, Double(floor)), Double(ceiling)) }

  private mutating func endWindow(running: Int) -> String? {
    let ended = window
    window = LatencyWindow()
    windowsSinceProbe += 1
    if let mean = ended.meanLatency {
      let known = baseline ?? mean
      // Smoothed, because the smallest of many varying means is below the latency without a queue.
      baseline = mean < known ? known + Self.smoothing * (mean - known) : known
    }
    let reason = moveEstimate(after: ended)
    if isProbeDue, ended.isLimited, let mean = ended.meanLatency, let baseline {
      return beginProbe(running: running, ratio: baseline / mean)
    }
    limit = Int(estimate)
    return reason
  }

  private mutating func moveEstimate(after window: LatencyWindow) -> String? {
    if window.overloads > 0 {
      isStarting = false
      let share = Double(window.overloads) / Double(window.count)
      estimate = bounded(estimate * (1 - share / 2))
      return "the server refused or timed out \(window.overloads) of \(window.count) attempts"
    }
    guard window.isLimited, let mean = window.meanLatency, let baseline else { return nil }
    let gradient = min(max(tolerance * baseline / mean, 0.5), 1)
    if gradient < 1 { isStarting = false }
    let goal = estimate * gradient + estimate.squareRoot()
    estimate = bounded(estimate + (isStarting ? 1 : Self.smoothing) * (goal - estimate))
    return "the mean latency is \(mean.shownSeconds), and \(baseline.shownSeconds) without a queue"
  }

  private var isProbeDue: Bool {
    windowsSinceProbe >= Self.windowsBetweenProbes
      || windowsSinceProbe >= Self.windowsAfterFall && estimate < 0.7 * probedEstimate
  }

  private mutating func beginProbe(running: Int, ratio: Double) -> String {
    limit = Int(bounded(estimate * ratio / 2))
    phase = .draining(remaining: max(running - 1, 1))
    return "the latency without a queue is measured"
  }

  private mutating func endProbe() -> String {
    let ended = window
    window = LatencyWindow()
    if ended.overloads > 0 { _ = moveEstimate(after: ended) }
    if let mean = ended.meanLatency { baseline = ((baseline ?? mean) + mean) / 2 }
    (phase, windowsSinceProbe, probedEstimate) = (.loaded, 0, estimate)
    limit = Int(estimate)
    return "the latency without a queue is \((baseline ?? 0).shownSeconds)"
  }
}

/// The sums over the attempts of a window.
private struct LatencyWindow {
  private(set) var count = 0
  private(set) var overloads = 0
  /// True if an attempt waited for a slot, or the limit was reached.
  private(set) var isLimited = false
  private var sum = 0.0

  /// The mean latency in seconds, without overloads; `nil` without a latency.
  var meanLatency: Double? { count > overloads ? sum / Double(count - overloads) : nil }

  /// Adds an attempt.
  ///
  /// A latency counts for at most eight times the baseline, because a single slow attempt says little.
  mutating func add(_ sample: ConcurrencySample, limit: Int, baseline: Double?) {
    count += 1
    if sample.hasWaiters || sample.running >= limit { isLimited = true }
    guard !sample.isOverload else { return overloads += 1 }
    let latency = max(sample.latency / .seconds(1), 1e-9)
    sum += baseline.map { min(latency, 8 * $0) } ?? latency
  }
}

extension Double {
  /// Seconds such as `0.021 s`.
  fileprivate var shownSeconds: String { Duration.seconds(self).seconds }
}
