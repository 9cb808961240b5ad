/// A limit on the reading rate of a ``MockServer``, to test upload progress, back-pressure and timeouts.
///
///     let server = try MockServer(readingPace: .bytes(10_000, every: .milliseconds(50)))
///
/// The limit also applies to heads, chunk sizes and, with TLS, the handshake. The client's operating system
/// buffers up to some megabytes, so a client may report bytes as sent before the server reads the bytes.
public struct ReadingPace: Sendable, Hashable {
  let count: Int
  let interval: Duration

  /// Returns a pace of at most `count` bytes for each read, with a pause after each read, in real time.
  ///
  /// - Parameters:
  ///   - count: the bytes of a read, at least 1. Values above 65,536 have the effect of 65,536.
  ///   - interval: the time between two reads, capped at one hour.
  public static func bytes(_ count: Int, every interval: Duration) -> ReadingPace {
    ReadingPace(count: max(count, 1), interval: min(max(interval, .zero), .seconds(3600)))
  }
}
