/// A limit on the reading rate of a ``MockServer``, to test upload progress, back-pressure and timeouts.
///
///     let server = try MockServer(readingPace: .bytes(10_000, every: .milliseconds(50)))
///
/// The client's system buffers up to some megabytes. A client may report bytes as sent before the server
/// reads the bytes.
public struct ReadingPace: Sendable, Hashable {
  let count: Int
  let interval: Duration

  /// Returns a pace: each read takes at most `count` bytes, and `interval` passes before the next read.
  ///
  /// After a stall or the last answer of a connection, the server discards input at full speed.
  ///
  /// A read takes at most 65,536 bytes. An `interval` above one hour counts as one hour.
  public static func bytes(_ count: Int, every interval: Duration) -> ReadingPace {
    ReadingPace(count: max(count, 1), interval: min(max(interval, .zero), .seconds(3600)))
  }
}
