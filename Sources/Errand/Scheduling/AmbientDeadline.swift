/// The deadline that the dispatches of the current task inherit.
///
/// The deadline comes from a dispatch whose hooks run, or from the app's code.
package struct AmbientDeadline: Sendable {
  /// `nil`: the dispatches of the task inherit no deadline.
  @TaskLocal package static var current: AmbientDeadline?

  private let clock: AgentClock
  private let end: Duration

  init(end: Duration, on clock: AgentClock) { (self.end, self.clock) = (end, clock) }

  /// Creates a deadline that ends after `time`, or with the current deadline if that is earlier.
  package init(after time: Duration, on clock: AgentClock) {
    let remaining = Self.current.map { min($0.remaining, time) } ?? time
    self.init(end: clock.now() + remaining.clamped(to: AgentClock.longestSleep), on: clock)
  }

  /// The time until the deadline; negative after the deadline.
  package var remaining: Duration { end - clock.now() }
}

/// Adds a header with the remaining time of a dispatch; see `DeadlinePropagation` of `ErrandService`.
package protocol DeadlinePropagator: Sendable {
  /// Adds a field with the time until the dispatch's deadline.
  ///
  /// Returns the name of the added field; `nil` if no field was added.
  func write(_ remaining: Duration, to headers: inout HTTPHeaders) -> String?
}

/// The deadline of a dispatch, counted from the start.
struct DispatchDeadline {
  /// `nil`: no deadline.
  var time: Duration?
  /// True if the inherited deadline applies, and not the dispatch's own deadline.
  var isInherited = false
  /// True if nested dispatches may inherit the deadline, and requests may tell the server the remaining time.
  var isPassedOn = false

  /// Returns the earlier of the inherited deadline and `own`, the deadline of the request or the agent.
  @inline(never)
  static func passedOn(_ own: Duration?) -> DispatchDeadline {
    guard let ambient = AmbientDeadline.current?.remaining, own.map({ ambient < $0 }) ?? true else {
      return DispatchDeadline(time: own, isPassedOn: own != nil)
    }
    // Whole milliseconds keep the texts of errors short.
    let time = Duration.milliseconds(Int64(max(ambient, .zero) / .milliseconds(1)))
    return DispatchDeadline(time: time, isInherited: true, isPassedOn: true)
  }
}
