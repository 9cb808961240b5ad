/// A limit on the reading rate of a ``MockServer``, to test upload progress, back-pressure and timeouts.
///
///     let server = try MockServer(readingPace: .bytes(10_000, every: .milliseconds(50)))
///
/// The client's system buffers up to some megabytes, so a client may report bytes as sent before the server
/// reads the bytes.
public struct ReadingPace: Sendable, Hashable {
  let count: Int
  let interval: Duration

  /// Returns a pace of at most `count` bytes, 1 to 65,536, for each read, and a pause of at most one hour.
  public static func bytes(_ count: Int, every interval: Duration) -> ReadingPace {
    ReadingPace(count: max(count, 1), interval: min(max(interval, .zero), .seconds(3600)))
  }
}
