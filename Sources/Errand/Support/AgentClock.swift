public import Foundation

/// The clock of an agent, for every measured time and every wait between attempts.
///
/// Use any clock with `Duration` as its duration; tests use `TestClock` of `ErrandMocks`. With the system's
/// clocks, all agents share a timer, and a cancelled wait leaves nothing behind. With another clock, each
/// wait sleeps in a task, which is cancelled when no wait is left.
public struct AgentClock: Sendable {
  /// The functions of the clock, in an object, because every dispatch copies its clock.
  private final class ClockFunctions: Sendable {
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let call: @Sendable (_ time: Duration, _ handler: @escaping @Sendable () -> Void) -> PendingCall

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
      let start = clock.now
      let now: @Sendable () -> Duration = { start.duration(to: clock.now) }
      self.now = now
      if let timers = SystemTimers.timers(of: clock) {
        sleep = { try await timers.sleep(for: min($0, AgentClock.longestSleep)) }
        call = { time, handler in
          // Runs in a task, because a slow handler must not delay other waits.
          .timer(
            timers.call(after: min(time - now(), AgentClock.longestSleep)) { Task { handler() } }, timers)
        }
        return
      }
      let sleepFor: @Sendable (Duration, Duration) async throws -> Void = { duration, tolerance in
        let deadline = clock.now.advanced(by: min(duration, AgentClock.longestSleep))
        try await clock.sleep(until: deadline, tolerance: tolerance)
      }
      sleep = { try await sleepFor($0, .zero) }
      call = { time, handler in
        .task(
          Task {
            // Computed here, because the clock may have advanced meanwhile.
            let rest = time - now()
            if rest > .zero {
              guard (try? await sleepFor(rest, .milliseconds(1))) != nil else { return }
            }
            handler()
          })
      }
    }
  }

  private let movement: ClockFunctions
  /// The wall time at which ``now()`` was zero.
  let epoch: Date

  /// Creates a clock from `clock`, with the wall time `date` at the present of `clock`.
  ///
  /// Clocks other than the system's sleep without tolerance for waits, and with a tolerance of a
  /// millisecond for concurrent watches, such as a deadline.
  public init<C: Clock>(_ clock: C, date: Date = Date()) where C.Duration == Duration {
    movement = ClockFunctions(clock)
    epoch = date
  }

  /// Returns the time since the creation of the agent's clock.
  @inline(__always)
  package func now() -> Duration { movement.now() }

  /// Waits; throws if the task is cancelled.
  package func sleep(_ duration: Duration) async throws { try await movement.sleep(duration) }

  /// Calls `handler` at a time of ``now()``, unless the call is cancelled.
  func call(_ time: Duration, handler: @escaping @Sendable () -> Void) -> PendingCall {
    movement.call(time, handler)
  }

  /// The longest sleep, 31 years, because the system's clocks trap for deadlines beyond `Int64` seconds.
  static let longestSleep = Duration.seconds(1_000_000_000)

  /// The system's continuous clock.
  public static let continuous = AgentClock(ContinuousClock())

  /// The wall time, advanced by this clock.
  package var date: Date { epoch.addingTimeInterval(now() / .seconds(1)) }

  /// A scheduled call.
  enum PendingCall: Sendable {
    case timer(SystemTimers.Call, SystemTimers)
    case task(Task<Void, Never>)

    /// Cancels the call; no effect after the call.
    func cancel() {
      switch self {
      case .timer(let call, let timers): timers.cancel(call)
      case .task(let task): task.cancel()
      }
    }
  }
}

extension Duration {
  /// Returns the duration limited to `bound` in both directions, so that sums cannot overflow.
  func clamped(to bound: Duration) -> Duration { min(max(self, .zero - bound), bound) }
}

/// The system's wall time, for code without an agent.
enum SystemTime {
  /// Now.
  static var date: Date { Date() }
}

/// The system's random numbers, the default of the configuration.
package enum SystemRandom {
  /// Returns a number in 0..<1.
  @Sendable static func fraction() -> Double { Double.random(in: 0..<1) }

  /// Returns a random UUID (RFC 9562 section 5.4) in lower case.
  @Sendable static func key() -> String { UUID().uuidString.lowercased() }

  /// Returns 128 unpredictable bits in 32 hexadecimal digits.
  package static func digits() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0...(.max)), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
