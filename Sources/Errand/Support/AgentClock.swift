public import Foundation

/// The clock of an agent.
///
/// Tests use `TestClock` from `ErrandMocks`.
public struct AgentClock: Sendable {
  /// A class, so that copies of the clock are cheap.
  private final class ClockFunctions: Sendable {
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let call: @Sendable (_ time: Duration, _ handler: @escaping @Sendable () -> Void) -> PendingCall

    init(_ clock: any SchedulingClock, sleep: @escaping @Sendable (Duration) async throws -> Void) {
      let start = clock.elapsed
      now = { clock.elapsed - start }
      call = { time, handler in .scheduled(clock.call(at: start + time, handler: handler)) }
      self.sleep = sleep
    }

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
      let start = clock.now
      let now: @Sendable () -> Duration = { start.duration(to: clock.now) }
      self.now = now
      if let timers = SystemTimers.timers(of: clock) {
        sleep = { try await timers.sleep(for: min($0, AgentClock.longestSleep)) }
        call = { time, handler in
          // The task keeps a slow handler from delaying other calls.
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
            // The clock may have advanced before the task started.
            let rest = time - now()
            if rest > .zero {
              guard (try? await sleepFor(rest, .milliseconds(1))) != nil else { return }
            }
            handler()
          })
      }
    }
  }

  private let functions: ClockFunctions
  /// The wall time when ``now()`` was zero.
  let epoch: Date

  /// Creates an agent clock from a Swift clock; `date` is the current wall time.
  public init<C: Clock>(_ clock: C, date: Date = Date()) where C.Duration == Duration {
    if let scheduling = clock as? any SchedulingClock {
      functions = ClockFunctions(scheduling) { try await clock.sleep(for: min($0, AgentClock.longestSleep)) }
    } else {
      functions = ClockFunctions(clock)
    }
    epoch = date
  }

  @inline(__always)
  package func now() -> Duration { functions.now() }

  package func sleep(_ duration: Duration) async throws { try await functions.sleep(duration) }

  /// Calls `handler` when ``now()`` reaches `time`.
  ///
  /// A wait longer than ``longestSleep`` may end early.
  package func call(_ time: Duration, handler: @escaping @Sendable () -> Void) -> PendingCall {
    functions.call(time, handler)
  }

  /// The longest sleep: about 32 years.
  ///
  /// The system's clocks trap for deadlines beyond `Int64` seconds.
  static let longestSleep = Duration.seconds(1_000_000_000)

  /// The system's continuous clock.
  public static let continuous = AgentClock(ContinuousClock())

  package var date: Date { epoch.addingTimeInterval(now() / .seconds(1)) }

  package enum PendingCall: Sendable {
    case timer(SystemTimers.Call, SystemTimers)
    case task(Task<Void, Never>)
    case scheduled(@Sendable () -> Void)

    /// Cancels the call.
    ///
    /// A handler that is already due may still run.
    package func cancel() {
      switch self {
      case .timer(let call, let timers): timers.cancel(call)
      case .task(let task): task.cancel()
      case .scheduled(let cancel): cancel()
      }
    }
  }
}

/// A clock with its own scheduled calls, such as a clock of tests.
package protocol SchedulingClock: Sendable {
  var elapsed: Duration { get }

  /// Calls `handler` when ``elapsed`` reaches `time`. Returns a closure that cancels the call.
  ///
  /// If `time` was already reached, the handler runs in a separate task.
  func call(at time: Duration, handler: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}

extension Duration {
  func clamped(to bound: Duration) -> Duration { min(max(self, .zero - bound), bound) }
}

enum SystemTime {
  static var date: Date { Date() }
}

package enum SystemRandom {
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
