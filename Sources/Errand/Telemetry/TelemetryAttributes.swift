/// Attributes of a request by the names of OpenTelemetry's semantic conventions for HTTP clients, in the order of the names.
///
/// ``AttemptReport/attributes(requestHeaders:responseHeaders:)`` makes them; every sink of traces, metrics and logs can take them as they are.
/// Secrets are hidden in them.
public struct TelemetryAttributes: Sendable, Hashable {
  /// A value of an attribute.
  public enum Value: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A whole number.
    case int(Int)
    /// Texts, as header fields have.
    case strings([String])
  }

  /// The values by their names.
  public private(set) var values: [String: Value] = [:]

  /// Makes none.
  public init() {}

  /// The value under a name, such as `http.response.status_code`; `nil` takes it out.
  public subscript(name: String) -> Value? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// The names, sorted.
  public var names: [String] { values.keys.sorted() }

  /// Names and values as texts, sorted by the names, as labels of metrics and metadata of logs have them.
  public var texts: [(name: String, text: String)] {
    values.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
  }

  /// Those that belong on the metric ``durationName``: they have few values.
  public var forMetrics: TelemetryAttributes {
    var attributes = TelemetryAttributes()
    attributes.values = values.filter { Self.metricNames.contains($0.key) }
    return attributes
  }

  /// What a span of the request is called: the method and the template of the URL, or the method alone.
  public var spanName: String {
    let method = values["http.request.method"].map { "\($0)" } ?? Self.otherMethod
    let name = method == Self.otherMethod ? "HTTP" : method
    return values["url.template"].map { "\(name) \($0)" } ?? name
  }

  /// The histogram of how long requests take: ``AttemptReport/requestDuration``, in seconds.
  public static let durationName = "http.client.request.duration"

  /// The bounds of the buckets of ``durationName`` that the conventions state, in seconds.
  public static let durationBuckets = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]

  static let otherMethod = "_OTHER"

  private static let metricNames: Set = [
    "error.type", "http.request.method", "http.response.status_code", "network.protocol.name",
    "network.protocol.version", "server.address", "server.port", "url.template",
  ]
}

extension TelemetryAttributes.Value: CustomStringConvertible {
  /// The value alone; several texts with commas between them.
  public var description: String {
    switch self {
    case .string(let text): text
    case .int(let number): "\(number)"
    case .strings(let texts): texts.joined(separator: ",")
    }
  }
}

extension TelemetryAttributes: PrintedByDescription {
  /// A line for each: `http.request.method: GET`.
  public var description: String { texts.map { "\($0.name): \($0.text)" }.joined(separator: "\n").printed }
}
