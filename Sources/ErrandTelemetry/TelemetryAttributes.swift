public import Errand

/// The attributes of an attempt by OpenTelemetry's semantic conventions for HTTP clients.
public struct TelemetryAttributes: Sendable, Hashable {
  /// The value of an attribute.
  public enum Value: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A whole number.
    case int(Int)
    /// A number, such as a duration in seconds.
    case double(Double)
    /// A list of texts, such as header fields.
    case strings([String])
  }

  /// The values by name.
  public private(set) var values: [String: Value] = [:]

  /// Creates empty attributes.
  public init() {}

  /// The value of a name; assigning `nil` removes the attribute.
  public subscript(name: String) -> Value? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// The names, sorted.
  public var names: [String] { values.keys.sorted() }

  /// The names and values as texts, sorted by name.
  public var texts: [(name: String, text: String)] {
    values.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
  }

  /// Only the attributes for the metric ``durationName``.
  public var forMetrics: TelemetryAttributes {
    var attributes = TelemetryAttributes()
    attributes.values = values.filter { Self.metricNames.contains($0.key) }
    return attributes
  }

  /// The name of a span: the method, and the URL template, if any.
  ///
  /// An unknown method is written as `HTTP`.
  public var spanName: String {
    let method = values["http.request.method"].map { "\($0)" } ?? Self.otherMethod
    let name = method == Self.otherMethod ? "HTTP" : method
    return values["url.template"].map { "\(name) \($0)" } ?? name
  }

  /// The name of the histogram of `AttemptReport.requestDuration`.
  public static let durationName = "http.client.request.duration"

  /// The bucket bounds of ``durationName``, in seconds.
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
  /// The value as text; a list is joined by commas.
  public var description: String {
    switch self {
    case .string(let text): text
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .strings(let texts): texts.joined(separator: ",")
    }
  }
}

extension TelemetryAttributes: PrintedByDescription {
  /// A line for each attribute, such as `http.request.method: GET`.
  public var description: String { texts.map { "\($0.name): \($0.text)" }.joined(separator: "\n").printed }
}
