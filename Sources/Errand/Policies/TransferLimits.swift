/// How much one transfer may take, each limit with a name; `nil` switches a limit off.
///
/// A breach ends the attempt. Those that count fail with ``RequestError/Kind/limitExceeded``, those of time with
/// ``RequestError/Kind/timedOut``, and the text names the limit: `limits.headSize`. Numbers and times of zero or less
/// allow nothing. The limit on time without progress is ``Request/timeout``, and the one on the whole dispatch is
/// ``Request/deadline``.
///
/// ```swift
/// var limits: TransferLimits? {
///   var limits = TransferLimits()
///   limits.bodySize = 1_000_000
///   return limits
/// }
/// ```
public struct TransferLimits: Sendable, Hashable {
  /// Bytes of the head of the response, with the informational heads before it and the trailers after it; 262,144
  /// (256 KiB) by default.
  public var headSize: Int? = 262_144
  /// Fields in the head of the response, with the informational heads and the trailers; 1,000 by default.
  public var headerCount: Int? = 1_000
  /// Informational (1xx) responses before the final one; 20 by default.
  public var informationalCount: Int? = 20
  /// Bytes of the body after content decoding; 268,435,456 (256 MiB) by default for a body that is kept whole.
  ///
  /// The body of a stream has no limit by default; one that you set holds for both. The agent counts them, whatever the transport. A whole body is kept in memory, where the default is more than an answer has, and
  /// less than ends most processes: without it a body without end takes all there is in seconds.
  public var bodySize: Int? = 268_435_456 { didSet { boundsStreams = true } }
  /// Whether ``bodySize`` was set.
  private var boundsStreams = false
  /// The limit on the body of a stream, which costs no memory.
  var streamSize: Int? { boundsStreams ? bodySize : nil }
  /// Bytes that content decoding may produce; `nil` by default.
  ///
  /// A body without a content coding is not counted; see ``bodySize``.
  public var decodedSize: Int?
  /// How many times as long as the received bytes the decoded ones may be; 200 by default.
  ///
  /// It counts once more than ``decodedRatioGrace`` bytes were decoded. Text shrinks to a tenth, the dullest logs to a
  /// hundredth; a decompression bomb comes near gzip's bound of a thousandth, and below it when coded twice. Of several
  /// codings what each gives to the next counts by itself; so it does for ``decodedSize``.
  public var decodedRatio: Int? = 200
  /// The decoded bytes that ``decodedRatio`` lets pass whatever their ratio; 8,388,608 (8 MiB) by default.
  ///
  /// So many do no harm, and a short body of zeros is honest.
  public var decodedRatioGrace = 8_388_608
  /// Until a connection stands: name lookup, proxy and TLS included; 30 seconds by default.
  public var connectTimeout: Duration? = .seconds(30)
  /// From the sending of the request, and of the last byte of its body, until the first byte of the response; `nil` by
  /// default.
  public var firstByteTimeout: Duration?
  /// How fast the response must come, from its first byte on; `nil` by default.
  public var minimumThroughput: Throughput?
  /// The whole of one attempt, on the agent's clock; `nil` by default.
  ///
  /// The agent measures it, whatever the transport, with building and hooks, without waiting for a slot or a
  /// ``RateLimit``. A hook that runs is awaited, and a value that is being decoded is kept. The next attempt starts anew,
  /// if the ``RetryPolicy`` makes one.
  public var attemptTimeout: Duration?

  /// Makes the defaults.
  public init() {}

  /// No limits at all, for a server as trustworthy as your own memory.
  public static let unlimited: TransferLimits = {
    var limits = TransferLimits()
    limits.headSize = nil
    limits.headerCount = nil
    limits.informationalCount = nil
    limits.bodySize = nil
    limits.decodedRatio = nil
    limits.connectTimeout = nil
    return limits
  }()

  /// A number of bytes in each stretch of time.
  public struct Throughput: Sendable, Hashable {
    /// How many bytes must come.
    public var bytes: Int
    /// In which time; one stretch follows the other.
    public var window: Duration

    /// Makes a throughput; the window is 10 seconds by default.
    public init(bytes: Int, per window: Duration = .seconds(10)) {
      self.bytes = bytes
      self.window = window
    }
  }

  /// The limits that differ from the defaults, in words.
  var summary: String {
    let standard = TransferLimits()
    guard self != standard else { return "the standard ones" }
    var parts: [String] = []
    func add<Value: Equatable>(
      _ name: String, member: KeyPath<TransferLimits, Value?>, text: (Value) -> String
    ) {
      guard self[keyPath: member] != standard[keyPath: member] else { return }
      parts.append("\(name) \(self[keyPath: member].map(text) ?? "off")")
    }
    add("headSize", member: \.headSize) { "\($0)" }
    add("headerCount", member: \.headerCount) { "\($0)" }
    add("informationalCount", member: \.informationalCount) { "\($0)" }
    add("bodySize", member: \.bodySize) { "\($0)" }
    add("decodedSize", member: \.decodedSize) { "\($0)" }
    add("decodedRatio", member: \.decodedRatio) { "\($0)" }
    if decodedRatioGrace != standard.decodedRatioGrace {
      parts.append("decodedRatioGrace \(decodedRatioGrace)")
    }
    add("connectTimeout", member: \.connectTimeout, text: \.secondsText)
    add("firstByteTimeout", member: \.firstByteTimeout, text: \.secondsText)
    add("minimumThroughput", member: \.minimumThroughput) { "\($0.bytes) per \($0.window.secondsText)" }
    add("attemptTimeout", member: \.attemptTimeout, text: \.secondsText)
    return parts.joined(separator: ", ")
  }
}
