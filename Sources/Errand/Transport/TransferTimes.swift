/// The timeouts of a transfer, in nanoseconds of a monotonic clock.
package struct TransferTimes {
  private let timeout: Duration
  private let limits: TransferLimits
  private let idle: Int64
  /// The time limit for connecting; `nil` without a limit, or after a check that found the connection ready.
  private var connect: Int64?
  /// The time limit for the first byte; `nil` without a limit, or after the first byte.
  private var firstByte: Int64?
  private let window: Int64

  let begun: Int64
  private var started: Int64
  private(set) var lastProgress: Int64
  private var lastSent: Int64
  private var received: Int64 = 0
  /// The start of the window for the minimum throughput; `nil` without a limit, or before the first byte.
  private var windowStart: Int64?
  private var windowReceived: Int64 = 0
  private var receiveSchedule: RateSchedule
  private var sendSchedule: RateSchedule

  package init(_ request: TransportRequest, now: Int64) {
    self.init(timeout: request.timeout, limits: request.limits, now: now)
  }

  package init(timeout: Duration, limits: TransferLimits, now: Int64) {
    self.timeout = timeout
    self.limits = limits
    idle = timeout.clampedNanoseconds
    connect = limits.connectTimeout?.clampedNanoseconds
    firstByte = limits.firstByteTimeout?.clampedNanoseconds
    window = max(limits.minimumThroughput?.window.clampedNanoseconds ?? 0, 1)
    receiveSchedule = RateSchedule(limits.maximumReceiveRate)
    sendSchedule = RateSchedule(limits.maximumSendRate)
    begun = now
    started = now
    lastProgress = now
    lastSent = now
  }

  package var deadline: Int64 {
    var deadline = lastProgress + idle
    if let connect { deadline = min(deadline, started + connect) }
    if let firstByte { deadline = min(deadline, lastSent + firstByte) }
    if let windowStart { deadline = min(deadline, windowStart + window) }
    return deadline
  }

  var shortest: Int64 { min(idle, firstByte ?? idle) }

  func isSilent(at now: Int64) -> Bool { lastProgress + shortest <= now }

  package mutating func noteProgress(at now: Int64) { lastProgress = now }

  /// Notes that bytes were sent.
  ///
  /// `count` is used only for the maximum rate.
  package mutating func noteSent(_ count: Int64 = 0, at now: Int64) {
    lastSent = now
    sendSchedule.note(count, at: now)
  }

  /// Notes received bytes.
  ///
  /// Returns true if the deadline may now be earlier.
  package mutating func noteReceived(_ count: Int, at now: Int64) -> Bool {
    lastProgress = now
    firstByte = nil
    received += Int64(count)
    receiveSchedule.note(Int64(count), at: now)
    guard limits.minimumThroughput != nil, windowStart == nil else { return false }
    windowStart = now
    return true
  }

  package mutating func restart(at now: Int64) {
    started = now
    lastProgress = now
    lastSent = now
    restartWindow(at: now)
  }

  private mutating func restartWindow(at now: Int64) {
    guard windowStart != nil else { return }
    windowStart = now
    windowReceived = received
  }

  /// Treats a pause that is due to a maximum rate as progress.
  private mutating func excludeThrottling(at now: Int64) {
    let end = max(receiveSchedule.end, sendSchedule.end)
    lastProgress = max(lastProgress, min(end, now))
    lastSent = max(lastSent, min(end, now))
    if end > now { restartWindow(at: now) }
  }

  /// Returns the error of an exceeded timeout.
  ///
  /// `sending` returns the nanoseconds from the start until the connection was ready; `nil` if the connection
  /// is not ready, and 0 if the time is unknown.
  package mutating func breach(
    at now: Int64, isWaitingForBody: Bool = false, sending: () -> Int64?
  ) -> TransportError? {
    excludeThrottling(at: now)
    if isWaitingForBody {
      lastSent = now
      restartWindow(at: now)
    }
    if let connect, started + connect <= now {
      guard sending() != nil else {
        return .passed(.connect, of: limits.connectTimeout ?? .zero)
      }
      self.connect = nil
    }
    if let firstByte, lastSent + firstByte <= now {
      // Without a request body, no event reports the end of sending, so the time of the ready connection is
      // used.
      lastSent = max(lastSent, sending().map { begun + $0 } ?? now)
    }
    if let firstByte, lastSent + firstByte <= now {
      return .passed(.firstByte, of: limits.firstByteTimeout ?? .zero)
    }
    if let breach = throughputBreach(at: now) { return breach }
    guard lastProgress + idle <= now else { return nil }
    if isWaitingForBody { return TransportError.silentBody(for: timeout) }
    return TransportError(.timedOut, "no byte was sent or received for \(timeout.secondsText)")
  }

  private mutating func throughputBreach(at now: Int64) -> TransportError? {
    guard let limit = limits.minimumThroughput, let start = windowStart, start + window <= now else {
      return nil
    }
    guard received - windowReceived >= Int64(limit.bytes) else {
      return TransportError(
        .timedOut,
        "fewer bytes were received than limits.minimumThroughput, \(limit.bytes) in \(limit.window.secondsText)"
      )
    }
    windowStart = now
    windowReceived = received
    return nil
  }
}

private struct RateSchedule {
  /// The maximum length of a schedule in nanoseconds, so that no sum can overflow.
  private static let longest: Int64 = 1_000_000_000_000_000_000
  /// In bytes per second; `nil`: no limit.
  private let rate: Double?
  /// The time in nanoseconds at which the rate allows the next byte.
  private(set) var end = Int64.min

  init(_ rate: Int?) { self.rate = rate.map { Double(max($0, 1)) } }

  mutating func note(_ count: Int64, at now: Int64) {
    guard let rate, count > 0 else { return }
    let time = Int64(min(Double(count) / rate * 1_000_000_000, Double(Self.longest)))
    end = min(max(end, now) + time, now + Self.longest)
  }
}

extension TransportError {
  static func silentBody(for timeout: Duration) -> TransportError {
    TransportError(.timedOut, "the stream of the request's body produced no bytes for \(timeout.secondsText)")
  }
}

extension Duration {
  /// Whole nanoseconds, at most a quarter of `Int64.max`, so that the sum of two cannot overflow.
  package var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = clamped(to: .nanoseconds(Int64.max / 4)).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
