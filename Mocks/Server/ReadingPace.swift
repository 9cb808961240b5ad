/// How slowly a ``MockServer`` reads, to test the progress of uploads, their back-pressure, and timeouts.
///
///     let server = try MockServer(readingPace: .bytes(10_000, every: .milliseconds(50)))
///
/// It counts what comes over each connection: heads, chunk sizes, and with TLS the handshake. What the client's own system keeps for it
/// is not seen: up to some megabytes are sent, as far as the client knows, before anybody reads them.
public struct ReadingPace: Sendable, Hashable {
  let count: Int
  let interval: Duration

  /// At most so many bytes are read, and then nothing for a while, in real time.
  ///
  /// - Parameters:
  ///   - count: at least 1; more than 65,536 count as so many.
  ///   - interval: from one reading to the next; an hour at most.
  public static func bytes(_ count: Int, every interval: Duration) -> ReadingPace {
    ReadingPace(count: max(count, 1), interval: min(max(interval, .zero), .seconds(3600)))
  }
}
