/// The limits of time of one transfer, and what they count from; nanoseconds of a monotonic clock.
struct TransferTimes {
  private let timeout: Duration
  private let limits: TransferLimits
  private let idle: Int64
  /// `nil` once the connection stands.
  private var connect: Int64?
  /// `nil` once the first byte is there.
  private var firstByte: Int64?
  private let window: Int64

  let begun: Int64
  private var started: Int64
  private(set) var lastProgress: Int64
  /// When the last piece of the request left, as far as is known.
  private var lastSent: Int64
  private var received: Int64 = 0
  /// `nil` before the first byte.
  private var windowStart: Int64?
  private var windowReceived: Int64 = 0

  init(_ request: TransportRequest, now: Int64) {
    timeout = request.timeout
    limits = request.limits
    idle = request.timeout.clampedNanoseconds
    connect = request.limits.connectTimeout?.clampedNanoseconds
    firstByte = request.limits.firstByteTimeout?.clampedNanoseconds
    window = max(request.limits.minimumThroughput?.window.clampedNanoseconds ?? 0, 1)
    begun = now
    started = now
    lastProgress = now
    lastSent = now
  }

  /// When the first of them runs out, if nothing happens until then.
  var deadline: Int64 {
    var deadline = lastProgress + idle
    if let connect { deadline = min(deadline, started + connect) }
    if let firstByte { deadline = min(deadline, lastSent + firstByte) }
    if let windowStart { deadline = min(deadline, windowStart + window) }
    return deadline
  }

  /// The shorter one of the limits that begin anew with what is sent.
  var shortest: Int64 { min(idle, firstByte ?? idle) }

  /// Whether nothing was sent or received for as long as the timeout, or the limit for the first byte.
  func isSilent(at now: Int64) -> Bool { lastProgress + shortest <= now }

  mutating func noteProgress(at now: Int64) { lastProgress = now }

  mutating func noteSent(at now: Int64) { lastSent = now }

  /// Counts bytes of the response; `true` when the deadline came nearer by it.
  mutating func noteReceived(_ count: Int, at now: Int64) -> Bool {
    lastProgress = now
    firstByte = nil
    received += Int64(count)
    guard limits.minimumThroughput != nil, windowStart == nil else { return false }
    windowStart = now
    return true
  }

  /// Starts what runs anew, after a pause.
  mutating func restart(at now: Int64) {
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

  /// Which limit is broken, if one is.
  ///
  /// - Parameters:
  ///   - isWaitingForBody: whether the stream of the request's body is to give more first, so that the server cannot be late.
  ///   - sending: how long after the beginning a request could be sent, as the connection stood; `nil` as long as it does
  ///     not. Asked when it is time that it did.
  mutating func breach(
    at now: Int64, isWaitingForBody: Bool = false, sending: () -> Int64?
  ) -> TransportError? {
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
      // It counts from the sending, of which nothing is heard where there is no body.
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
        "fewer bytes came than limits.minimumThroughput, \(limit.bytes) in \(limit.window.secondsText)")
    }
    windowStart = now
    windowReceived = received
    return nil
  }
}

extension TransportError {
  /// The error of a request whose own body stream gave neither bytes nor its end.
  static func silentBody(for timeout: Duration) -> TransportError {
    TransportError(.timedOut, "the stream of the request's body gave nothing for \(timeout.secondsText)")
  }
}

extension Duration {
  /// Whole nanoseconds, cut to what an `Int64` holds four times over, so that sums of two cannot overflow.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = clamped(to: .nanoseconds(Int64.max / 4)).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
