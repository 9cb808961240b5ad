public import Foundation

/// The clock of an agent: every time it measures and every wait between attempts.
///
/// Any clock whose duration is `Duration` will do; tests use `TestClock` of `ErrandMocks`.
public struct AgentClock: Sendable {
  /// The time since the clock was handed over.
  let now: @Sendable () -> Duration
  /// Waits; throws when the task is cancelled.
  let sleep: @Sendable (Duration) async throws -> Void
  /// Waits beside other waits; throws when the task is cancelled.
  let watch: @Sendable (Duration) async throws -> Void
  /// The wall time at which `now` was zero.
  let epoch: Date

  /// Uses `clock`, whose present is taken for the wall time `date`.
  ///
  /// It is asked to sleep without tolerance for what is waited for, and with one of a millisecond for what is watched
  /// meanwhile, such as a deadline.
  public init<C: Clock>(_ clock: C, date: Date = Date()) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    let sleepFor: @Sendable (Duration, Duration) async throws -> Void = { duration, tolerance in
      let deadline = clock.now.advanced(by: min(duration, Self.longestSleep))
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
    sleep = { try await sleepFor($0, .zero) }
    watch = { try await sleepFor($0, .milliseconds(1)) }
    epoch = date
  }

  /// 31 years: the system's clocks trap on deadlines beyond `Int64` seconds.
  static let longestSleep = Duration.seconds(1_000_000_000)

  /// The system's continuous clock.
  public static let continuous = AgentClock(ContinuousClock())

  /// The wall time, moved on by this clock.
  var date: Date { epoch.addingTimeInterval(now() / .seconds(1)) }
}
