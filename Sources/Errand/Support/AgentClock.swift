public import Foundation

/// The clock of an agent: every time it measures and every wait between attempts.
///
/// Any clock whose duration is `Duration` will do; tests use `TestClock` of `ErrandMocks`. On the system's clocks all agents
/// share one timer, and a wait that is called off leaves nothing behind; any other clock is asked for each wait, in a task that
/// is cancelled when no sleep is left.
public struct AgentClock: Sendable {
  /// What it does, in an object: every dispatch copies its clock.
  private final class Movement: Sendable {
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
          // In a task: it may be slow, and holds up no other wait.
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
            // Not before: the clock may have moved on since.
            let rest = time - now()
            if rest > .zero {
              guard (try? await sleepFor(rest, .milliseconds(1))) != nil else { return }
            }
            handler()
          })
      }
    }
  }

  private let movement: Movement
  /// The wall time at which ``now()`` was zero.
  let epoch: Date

  /// Uses `clock`, whose present is taken for the wall time `date`.
  ///
  /// A clock that is not the system's is asked to sleep without tolerance for what is waited for, and with one of a
  /// millisecond for what is watched meanwhile, such as a deadline.
  public init<C: Clock>(_ clock: C, date: Date = Date()) where C.Duration == Duration {
    movement = Movement(clock)
    epoch = date
  }

  /// The time since the clock was handed over.
  @inline(__always)
  package func now() -> Duration { movement.now() }

  /// Waits; throws when the task is cancelled.
  package func sleep(_ duration: Duration) async throws { try await movement.sleep(duration) }

  /// Calls back at a time by ``now()``, beside other waits, unless it is called off.
  func call(_ time: Duration, handler: @escaping @Sendable () -> Void) -> PendingCall {
    movement.call(time, handler)
  }

  /// 31 years: the system's clocks trap on deadlines beyond `Int64` seconds.
  static let longestSleep = Duration.seconds(1_000_000_000)

  /// The system's continuous clock.
  public static let continuous = AgentClock(ContinuousClock())

  /// The wall time, moved on by this clock.
  package var date: Date { epoch.addingTimeInterval(now() / .seconds(1)) }

  /// A call that a clock is to make.
  enum PendingCall: Sendable {
    case timer(SystemTimers.Call, SystemTimers)
    case task(Task<Void, Never>)

    /// Calls it off; does nothing when it was made.
    func cancel() {
      switch self {
      case .timer(let call, let timers): timers.cancel(call)
      case .task(let task): task.cancel()
      }
    }
  }
}

extension Duration {
  /// Cut to `bound` in either direction, so that sums cannot overflow and clocks can be given it.
  func clamped(to bound: Duration) -> Duration { min(max(self, .zero - bound), bound) }
}

/// The system's wall time, for what has no agent.
enum SystemTime {
  /// Now.
  static var date: Date { Date() }
}

/// The system's random numbers, where no others were injected.
package enum SystemRandom {
  /// A number in 0..<1.
  @Sendable static func fraction() -> Double { Double.random(in: 0..<1) }

  /// A random UUID (RFC 9562 section 5.4) in small letters.
  @Sendable static func key() -> String { UUID().uuidString.lowercased() }

  /// 128 bits that nobody can foresee, in 32 hexadecimal digits.
  package static func digits() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0...(.max)), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
