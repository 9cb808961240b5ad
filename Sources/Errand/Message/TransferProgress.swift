/// How far the transfer of a dispatch is.
///
/// Bytes are those of the bodies as they go over the wire: of a compressed response they are counted before it is decoded, so that
/// they belong to its `Content-Length`. Heads do not count. Within an attempt a phase follows another and never comes back, and within a
/// phase the count only grows; another attempt begins anew.
public struct TransferProgress: Sendable, Hashable {
  /// What is under way.
  public enum Phase: String, Sendable, Hashable {
    /// Nothing of a body has been sent or received: the dispatch waits, connects, or has sent a request without a body.
    case waiting
    /// The body of the request is sent; also when all of it was, and no byte of a body has come back: the answer to an upload may have none.
    case sending
    /// The body of the response is received; of a request without a body also when the response has none.
    case receiving
  }

  /// The attempt it is of, from 1; 0 before the first.
  public var attempt: Int
  /// What is under way.
  public var phase: Phase
  /// The bytes of the phase so far; of a download that resumes, with those that were there before.
  public var completed: Int64
  /// How many there will be; `nil` where nobody has said so.
  ///
  /// Of a response that has been read to its end it is ``completed``.
  public var total: Int64?
  /// Bytes a second, over the last two to four seconds; `nil` in the beginning of a phase.
  public var throughput: Double?
  /// What was sent when the response began.
  var sent: Int64 = 0

  /// Makes a progress; by default nothing has happened.
  public init(
    attempt: Int = 0, phase: Phase = .waiting, completed: Int64 = 0, total: Int64? = nil,
    throughput: Double? = nil
  ) {
    self.attempt = attempt
    self.phase = phase
    self.completed = completed
    self.total = total
    self.throughput = throughput
  }

  /// From 0 to 1; `nil` where ``total`` is not known.
  public var fraction: Double? {
    guard let total else { return nil }
    return completed >= total ? 1 : max(Double(completed) / Double(total), 0)
  }

  /// What both bodies have so far, which counts on where the response begins.
  var completedOfBoth: Int64 { Self.sum(completed, sent) }
  /// What both bodies will have, as far as is known; `nil` where ``total`` is not.
  var totalOfBoth: Int64? { total.map { Self.sum($0, sent) } }

  /// Servers and transports may tell any number.
  static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, isTooLarge) = a.addingReportingOverflow(b)
    return isTooLarge ? .max : sum
  }

  /// How long the rest takes at this pace; `nil` where ``total`` or ``throughput`` is not known, or nothing moves.
  public var timeLeft: Duration? {
    guard let total, let throughput, throughput > 0 else { return nil }
    let seconds = max(Double(total) - Double(completed), 0) / throughput
    return .seconds(min(seconds, 1e9))
  }

  /// Whether both are at the same place, at whatever pace.
  func isAtPlace(of other: TransferProgress) -> Bool {
    (attempt, phase, completed) == (other.attempt, other.phase, other.completed) && total == other.total
  }
}

extension Updates where Element == TransferProgress {
  /// How far the dispatch is now.
  public var current: TransferProgress { read() }
}

extension TransferProgress: PrintedByDescription {
  /// Such as `receiving 512 of 2048 bytes, 25 %`.
  public var description: String {
    let count = total.map { "\(completed) of \($0) bytes" } ?? "\(completed) bytes"
    return "\(phase) \(count)" + (fraction.map { ", \(Int($0 * 100)) %" } ?? "")
  }
}
