public import Errand

/// An accessory that records the attempts, failures and durations of each endpoint in memory.
///
/// ```swift
/// let figures = EndpointFigures()
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [figures])
/// try await agent.send(.get("users/7"))
/// print(figures)
/// ```
///
/// An endpoint is a method, a server and a ``/Errand/Request/urlTemplate``. Only attempts that reached the
/// transport count. An endpoint usually needs at most 9 KiB of memory. Several agents may share the figures.
public final class EndpointFigures: Sendable {
  private struct State {
    var endpoints: [EndpointKey: Endpoint] = [:]
    /// The endpoints beyond the limit, counted together; `nil` without such an endpoint.
    var rest: Endpoint?
  }

  private let limit: Int
  private let state = Locked(State())

  /// Creates figures without endpoints.
  ///
  /// - Parameter limit: The maximum number of endpoints, at least 1; 200 by default. The attempts of further
  ///   endpoints are counted in one ``Endpoint`` without a method.
  public init(limit: Int = 200) { self.limit = max(limit, 1) }

  /// The endpoints, sorted by the number of attempts, with the largest number first.
  ///
  /// The combined endpoint beyond the limit is the last.
  public var endpoints: [Endpoint] { Self.sorted(state.withLock { $0 }) }

  /// Returns ``endpoints`` and removes all endpoints, for example at the end of an interval.
  @discardableResult
  public func reset() -> [Endpoint] {
    Self.sorted(
      state.withLock { state in
        defer { state = State() }
        return state
      })
  }

  private static func sorted(_ state: State) -> [Endpoint] {
    let known = state.endpoints.values.sorted {
      $0.total == $1.total ? $0.name < $1.name : $0.total > $1.total
    }
    return known + [state.rest].compactMap(\.self)
  }
}

extension EndpointFigures: Accessory {
  /// Counts an attempt that reached the transport.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    guard attempt.sentCount > 0 else { return }
    let (key, use) = (EndpointKey(attempt), Use(attempt))
    state.withLock { state in
      if state.endpoints[key] == nil {
        guard state.endpoints.count < limit else {
          if state.rest == nil { state.rest = Endpoint(nil) }
          state.rest?.count(use)
          return
        }
        state.endpoints[key] = Endpoint(key)
      }
      state.endpoints[key]?.count(use)
    }
  }

  struct Use {
    let isCancelled: Bool
    let hasFailed: Bool
    let duration: Duration
  }
}

extension EndpointFigures.Use {
  fileprivate init(_ attempt: AttemptReport) {
    isCancelled = if case .cancelled = attempt.outcome { true } else { false }
    hasFailed = attempt.failure != nil || attempt.response?.status.code ?? 0 >= 400
    duration = attempt.measuredDuration
  }
}

/// The identity of an endpoint, with hidden secrets.
struct EndpointKey: Sendable, Hashable {
  let method: String
  let server: String
  let port: Int?
  let template: String?

  init(_ attempt: AttemptReport) {
    let attributes = attempt.serverAttributes
    method = attributes["http.request.method"].map { "\($0)" } ?? TelemetryAttributes.otherMethod
    server = attributes["server.address"].map { "\($0)" } ?? ""
    port = if case .int(let port) = attributes["server.port"] { port } else { nil }
    template = attempt.urlTemplate
  }
}

extension EndpointFigures {
  /// The figures of an endpoint.
  public struct Endpoint: Sendable, Hashable {
    private let key: EndpointKey?
    private var durations = DurationHistogram()
    /// The number of attempts with a response or a failure.
    public private(set) var count = 0
    /// The number of attempts with a failure or a status from 400 on; part of ``count``.
    public private(set) var failures = 0
    /// The number of cancelled attempts; not part of ``count`` and the durations.
    public private(set) var cancellations = 0
    /// The number of durations in each bucket of ``TelemetryAttributes/durationBuckets``.
    ///
    /// A bucket includes its upper bound. The last element counts the durations above the last bound.
    public private(set) var bucketCounts = [Int](
      repeating: 0, count: TelemetryAttributes.durationBuckets.count + 1)

    init(_ key: EndpointKey?) { self.key = key }

    /// The method, or `_OTHER` for an unknown method; `nil` for the combined endpoint beyond the limit.
    public var method: String? { key?.method }
    /// The host of the server; `nil` for the combined endpoint beyond the limit.
    public var server: String? { key?.server }
    /// The URL template, such as `/users/{id}`; `nil` if unknown, and for the combined endpoint.
    public var urlTemplate: String? { key?.template }
    /// The sum of the durations.
    ///
    /// A duration is the `requestDuration` of an attempt.
    public var sum: Duration { durations.sum }
    /// The shortest duration; zero without attempts.
    public var minimum: Duration { durations.minimum }
    /// The longest duration; zero without attempts.
    public var maximum: Duration { durations.maximum }
    /// The median of the durations; see ``quantile(_:)``.
    public var p50: Duration { quantile(0.5) }
    /// The duration that about 95 % of the attempts do not exceed.
    public var p95: Duration { quantile(0.95) }
    /// The duration that about 99 % of the attempts do not exceed.
    public var p99: Duration { quantile(0.99) }

    /// Returns the duration that a share of the attempts, from 0 to 1, does not exceed; zero without
    /// attempts.
    ///
    /// The result usually differs from the exact duration by at most 1.6 %, or 1 µs.
    public func quantile(_ share: Double) -> Duration { durations.quantile(share > 0 ? min(share, 1) : 0) }
  }
}

extension EndpointFigures.Endpoint {
  var total: Int { count + cancellations }

  fileprivate mutating func count(_ use: EndpointFigures.Use) {
    if use.isCancelled { return cancellations += 1 }
    count += 1
    if use.hasFailed { failures += 1 }
    durations.record(use.duration)
    let seconds = use.duration / .seconds(1)
    let bounds = TelemetryAttributes.durationBuckets
    bucketCounts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
  }

  /// The figures as OpenTelemetry attributes, for example of a log record.
  ///
  /// | Attribute | Is |
  /// |---|---|
  /// | `http.request.method`, `server.address`, `server.port`, `url.template` | the endpoint |
  /// | `errand.endpoint.count`, `.failures`, `.cancellations` | ``count``, ``failures``, ``cancellations`` |
  /// | `errand.endpoint.p50`, `.p95`, `.p99`, `.max` | durations in seconds |
  ///
  /// For a data point of the histogram ``TelemetryAttributes/durationName``, take
  /// ``TelemetryAttributes/forMetrics`` of the result, ``count``, ``sum`` and ``bucketCounts``.
  public var attributes: TelemetryAttributes {
    var attributes = TelemetryAttributes()
    if let key {
      attributes["http.request.method"] = .string(key.method)
      attributes["server.address"] = key.server.isEmpty ? nil : .string(key.server)
      attributes["server.port"] = key.port.map { .int($0) }
      attributes["url.template"] = key.template.map { .string($0) }
    }
    for (name, number) in [("count", count), ("failures", failures), ("cancellations", cancellations)] {
      attributes["errand.endpoint.\(name)"] = .int(number)
    }
    for (name, duration) in [("p50", p50), ("p95", p95), ("p99", p99), ("max", maximum)] {
      attributes["errand.endpoint.\(name)"] = .double(duration / .seconds(1))
    }
    return attributes
  }

  var name: String {
    guard let key else { return "all others" }
    let isStandard = key.port == nil || key.port == 443 || key.port == 80
    let port = isStandard ? "" : key.port.map { ":\($0)" } ?? ""
    return "\(key.method) \(key.server)\(port) \(key.template ?? "(no template)")"
  }
}

extension EndpointFigures: PrintedByDescription {
  /// The figures as a table with a line for each endpoint; durations are in seconds.
  ///
  /// ```
  /// endpoint                        count  failed  cancelled  p50      p95      p99      max
  /// GET api.example.com /users/{id}  1200  3       0          0.012 s  0.041 s  0.120 s  0.310 s
  /// ```
  public var description: String {
    let titles = ["endpoint", "count", "failed", "cancelled", "p50", "p95", "p99", "max"]
    let rows = endpoints.map { endpoint in
      [endpoint.name, "\(endpoint.count)", "\(endpoint.failures)", "\(endpoint.cancellations)"]
        + [endpoint.p50, endpoint.p95, endpoint.p99, endpoint.maximum].map(\.seconds)
    }
    let cells = [titles] + rows
    let widths = titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n").printed
  }
}
