/// The progress of a transfer, counted in bytes of the bodies.
public struct TransferProgress: Sendable, Hashable {
  /// The phase of a transfer.
  public enum Phase: String, Sendable, Hashable {
    /// No body is being transferred yet.
    case waiting
    /// A request with a body has started.
    case sending
    /// The response is being received.
    case receiving
  }

  /// The number of the attempt, from 1; 0 before the first.
  public var attempt: Int
  /// The phase of the transfer.
  public var phase: Phase
  /// The bytes transferred in the phase.
  ///
  /// A resumed transfer includes the bytes of earlier transfers.
  public var completed: Int64
  /// The expected bytes of the phase; `nil` if unknown.
  public var total: Int64?
  /// Bytes per second; `nil` if unknown.
  public var throughput: Double?
  /// The bytes completed in the phase `sending`, kept during the phase `receiving`.
  var sent: Int64 = 0

  /// Creates a progress.
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

  /// The completed part, from 0 to 1; `nil` if ``total`` is unknown.
  public var fraction: Double? {
    guard let total else { return nil }
    return completed >= total ? 1 : max(Double(completed) / Double(total), 0)
  }

  var completedOfBoth: Int64 { Self.sum(completed, sent) }
  var totalOfBoth: Int64? { total.map { Self.sum($0, sent) } }

  /// Returns the sum; `Int64.max` at an overflow.
  ///
  /// A server may report any number.
  static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, isTooLarge) = a.addingReportingOverflow(b)
    return isTooLarge ? .max : sum
  }

  /// The estimated remaining time; `nil` if unknown.
  public var timeLeft: Duration? {
    guard let total, let throughput, throughput > 0 else { return nil }
    let seconds = max(Double(total) - Double(completed), 0) / throughput
    return .seconds(min(seconds, 1e9))
  }

  func hasSameCounts(as other: TransferProgress) -> Bool {
    (attempt, phase, completed) == (other.attempt, other.phase, other.completed) && total == other.total
  }
}

extension Updates where Element == TransferProgress {
  /// The current progress.
  public var current: TransferProgress { readCurrent() ?? TransferProgress() }
}

extension TransferProgress: PrintedByDescription {
  /// Such as `receiving 512 of 2048 bytes, 25 %`.
  public var description: String {
    let count = total.map { "\(completed) of \($0) bytes" } ?? "\(completed) bytes"
    return "\(phase) \(count)" + (fraction.map { ", \(Int($0 * 100)) %" } ?? "")
  }
}
