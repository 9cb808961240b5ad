/// The limits of a transfer; `nil` turns a limit off.
///
/// A transfer beyond a limit usually fails with ``RequestError/Kind/limitExceeded`` or
/// ``RequestError/Kind/timedOut``. `URLSessionTransport` ignores some default limits, and refuses some
/// changed limits as `unsupported`.
///
/// ```swift
/// var limits: TransferLimits? {
///   var limits = TransferLimits()
///   limits.bodySize = 1_000_000
///   return limits
/// }
/// ```
public struct TransferLimits: Sendable, Hashable {
  /// The maximum size of the response head in bytes; 262,144 (256 KiB) by default.
  ///
  /// Informational heads and trailers usually count too.
  public var headSize: Int? {
    get { storage.values.headSize }
    set { change { $0.headSize = newValue } }
  }
  /// The maximum number of fields in the response head; 1,000 by default.
  ///
  /// Informational heads and trailers usually count too.
  public var headerCount: Int? {
    get { storage.values.headerCount }
    set { change { $0.headerCount = newValue } }
  }
  /// The maximum number of informational (1xx) responses before the final response; 20 by default.
  public var informationalCount: Int? {
    get { storage.values.informationalCount }
    set { change { $0.informationalCount = newValue } }
  }
  /// The maximum size of the decoded body in bytes; 268,435,456 (256 MiB) by default.
  ///
  /// The default limit usually does not apply to downloads and streams. A limit that you set applies to
  /// downloads, and to streams other than `serverSentEvents(of:)`.
  public var bodySize: Int? {
    get { storage.values.bodySize }
    set {
      change {
        $0.bodySize = newValue
        $0.boundsStreams = true
      }
    }
  }
  /// The maximum output of a single content decoder in bytes; `nil` by default.
  ///
  /// A body with several content codings needs several decoders. ``bodySize`` counts only the final output.
  public var decodedSize: Int? {
    get { storage.values.decodedSize }
    set { change { $0.decodedSize = newValue } }
  }
  /// The maximum ratio of decoded to received bytes; 200 by default.
  ///
  /// The ratio is checked after the first ``decodedRatioGrace`` decoded bytes.
  public var decodedRatio: Int? {
    get { storage.values.decodedRatio }
    set { change { $0.decodedRatio = newValue } }
  }
  /// The number of decoded bytes before ``decodedRatio`` is checked; 8,388,608 (8 MiB) by default.
  public var decodedRatioGrace: Int {
    get { storage.values.decodedRatioGrace }
    set { change { $0.decodedRatioGrace = newValue } }
  }
  /// The maximum time to connect, including name lookup, proxy and TLS; 30 seconds by default.
  public var connectTimeout: Duration? {
    get { storage.values.connectTimeout }
    set { change { $0.connectTimeout = newValue } }
  }
  /// The maximum time from the last sent byte to the first byte of the response; `nil` by default.
  ///
  /// With `URLSessionTransport`, the time may include connecting.
  public var firstByteTimeout: Duration? {
    get { storage.values.firstByteTimeout }
    set { change { $0.firstByteTimeout = newValue } }
  }
  /// The minimum speed of the response after its first byte; `nil` by default.
  public var minimumThroughput: Throughput? {
    get { storage.values.minimumThroughput }
    set { change { $0.minimumThroughput = newValue } }
  }
  /// The maximum time of an attempt, on the agent's clock; `nil` by default.
  ///
  /// Waits for the rate limit, for a free slot, and for a credential renewal after a response do not count.
  /// The time for signing a request does count.
  public var attemptTimeout: Duration? {
    get { storage.values.attemptTimeout }
    set { change { $0.attemptTimeout = newValue } }
  }

  /// The maximum average speed of the response in bytes per second; `nil` by default.
  ///
  /// Bytes are counted before content decoding.
  public var maximumReceiveRate: Int? {
    get { storage.values.maximumReceiveRate }
    set { change { $0.maximumReceiveRate = newValue } }
  }
  /// The maximum average speed of the request body in bytes per second; `nil` by default.
  public var maximumSendRate: Int? {
    get { storage.values.maximumSendRate }
    set { change { $0.maximumSendRate = newValue } }
  }
  /// The size in bytes from which a request body is sent with `Expect: 100-continue` (RFC 9110 section
  /// 10.1.1); `nil` by default.
  ///
  /// A body without a known length counts as large. The body is usually sent after the server's status 100,
  /// or after a second without a response. A server that refuses the head usually gets no body.
  public var expectContinueSize: Int? {
    get { storage.values.expectContinueSize }
    set { change { $0.expectContinueSize = newValue } }
  }

  /// Creates the default limits.
  public init() {}

  /// Compares the values.
  public static func == (one: TransferLimits, other: TransferLimits) -> Bool {
    one.storage === other.storage || one.storage.values == other.storage.values
  }

  /// Hashes the values.
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.values) }

  /// No limits, for completely trusted servers.
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

  /// A number of bytes per interval.
  public struct Throughput: Sendable, Hashable {
    /// The number of bytes in an interval.
    public var bytes: Int
    /// The length of an interval.
    public var window: Duration

    /// Creates a throughput; the window is 10 seconds by default.
    public init(bytes: Int, per window: Duration = .seconds(10)) {
      self.bytes = bytes
      self.window = window
    }
  }

  private struct Values: Hashable {
    var headSize: Int? = 262_144
    var headerCount: Int? = 1_000
    var informationalCount: Int? = 20
    var bodySize: Int? = 268_435_456
    var decodedSize: Int?
    var decodedRatio: Int? = 200
    var decodedRatioGrace: Int = 8_388_608
    var connectTimeout: Duration? = .seconds(30)
    var firstByteTimeout: Duration?
    var minimumThroughput: Throughput?
    var attemptTimeout: Duration?
    var maximumReceiveRate: Int?
    var maximumSendRate: Int?
    var expectContinueSize: Int?
    var boundsStreams = false
    var opensConnection = false
  }

  /// Behind a reference, so that copies of the limits are cheap.
  private final class Storage: Sendable {
    static let standard = Storage(Values())
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  private var storage = Storage.standard

  private mutating func change(_ edit: (inout Values) -> Void) {
    var values = storage.values
    edit(&values)
    storage = Storage(values)
  }

  /// True if the request needs a new connection; `false` by default.
  package var opensConnection: Bool {
    get { storage.values.opensConnection }
    set { change { $0.opensConnection = newValue } }
  }

  var streamSize: Int? { storage.values.boundsStreams ? bodySize : nil }

  var hasRates: Bool { storage.values.maximumReceiveRate != nil || storage.values.maximumSendRate != nil }

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
    if storage.values.boundsStreams { parts.append("bodySize \(bodySize.map(String.init) ?? "off")") }
    add("decodedSize", member: \.decodedSize) { "\($0)" }
    add("decodedRatio", member: \.decodedRatio) { "\($0)" }
    if decodedRatioGrace != standard.decodedRatioGrace {
      parts.append("decodedRatioGrace \(decodedRatioGrace)")
    }
    add("connectTimeout", member: \.connectTimeout, text: \.secondsText)
    add("firstByteTimeout", member: \.firstByteTimeout, text: \.secondsText)
    add("minimumThroughput", member: \.minimumThroughput) { "\($0.bytes) per \($0.window.secondsText)" }
    add("attemptTimeout", member: \.attemptTimeout, text: \.secondsText)
    add("maximumReceiveRate", member: \.maximumReceiveRate) { "\($0)" }
    add("maximumSendRate", member: \.maximumSendRate) { "\($0)" }
    add("expectContinueSize", member: \.expectContinueSize) { "\($0)" }
    return parts.joined(separator: ", ")
  }
}

extension TransferLimits: CustomReflectable {
  /// The values, for `dump` and `print`.
  public var customMirror: Mirror {
    Mirror(self, children: Mirror(reflecting: storage.values).children, displayStyle: .struct)
  }
}
