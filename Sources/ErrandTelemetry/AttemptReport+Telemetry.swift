public import Errand
import Foundation

extension AttemptReport {
  /// Returns the attempt's attributes by OpenTelemetry's semantic conventions for HTTP clients.
  ///
  /// | Attribute | Is |
  /// |---|---|
  /// | `http.request.method` | the method; `_OTHER` for an unknown method |
  /// | `http.request.method_original` | the name of an unknown method |
  /// | `server.address`, `server.port` | host and port |
  /// | `url.full` | the URL |
  /// | `url.template` | ``/Errand/Request/urlTemplate``, or a template that Errand derives from the path |
  /// | `error.type` | the status from 400 on, `cancelled`, or the ``/Errand/RequestError/Kind`` |
  /// | `http.response.status_code` | the status |
  /// | `http.request.resend_count` | ``/Errand/AttemptReport/resendCount``, from 1 on |
  /// | `network.protocol.name`, `network.protocol.version` | such as `http` and `1.1` |
  /// | `network.peer.address`, `network.peer.port` | the peer |
  /// | `http.request.header.<name>`, `http.response.header.<name>` | the headers named by the parameters |
  ///
  /// Unknown values are left out. Secrets are hidden, usually by the agent's ``/Errand/Redaction``. The
  /// environment variable `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS` lists the known methods. By default, the
  /// methods of RFC 9110, `PATCH` and `QUERY` are known.
  public func attributes(
    requestHeaders: [String] = [], responseHeaders: [String] = []
  ) -> TelemetryAttributes {
    var attributes = TelemetryAttributes()
    let redaction = redaction
    if let request {
      attributes.add(request, redaction: redaction)
      attributes.add(request.headers, named: requestHeaders, as: "request", redaction: redaction)
      attributes["url.template"] = urlTemplate.map { .string($0) }
    }
    if let response {
      attributes["http.response.status_code"] = .int(response.status.code)
      attributes.add(response.headers, named: responseHeaders, as: "response", redaction: redaction)
    }
    attributes["error.type"] = errorType.map { .string($0) }
    if resendCount > 0 { attributes["http.request.resend_count"] = .int(resendCount) }
    if let metrics { attributes.add(metrics) }
    return attributes
  }

  /// The value of ``TelemetryAttributes/durationName`` in seconds.
  ///
  /// The waits for a slot and for a rate limit are left out.
  public var requestDuration: Double { measuredDuration / .seconds(1) }

  var measuredDuration: Duration {
    max(.zero, elapsed.bounded - slotWait.bounded - throttleWait.bounded)
  }

  private var errorType: String? {
    if let status = response?.status.code, status >= 400 { return "\(status)" }
    if case .cancelled = outcome { return "cancelled" }
    return failure?.kind.name
  }
}

extension AttemptReport {
  /// The attributes of method and server.
  var serverAttributes: TelemetryAttributes {
    var attributes = TelemetryAttributes()
    if let request { attributes.addServer(of: request, redaction: redaction) }
    return attributes
  }
}

extension TelemetryAttributes {
  fileprivate mutating func add(_ request: HTTPRequest, redaction: Redaction) {
    addServer(of: request, redaction: redaction)
    self["url.full"] = .string(redaction.url(request.url))
  }

  fileprivate mutating func addServer(of request: HTTPRequest, redaction: Redaction) {
    let method = request.method.token
    let isKnown = Self.knownMethods.contains(method)
    self["http.request.method"] = .string(isKnown ? method : Self.otherMethod)
    if !isKnown { self["http.request.method_original"] = .string(redaction.text(method)) }
    guard let origin = Origin(request.url) else { return }
    self["server.address"] = .string(redaction.text(origin.host.trimmingCharacters(in: ["[", "]"])))
    self["server.port"] = Int(origin.port).map { .int($0) }
  }

  fileprivate mutating func add(
    _ headers: HTTPHeaders, named names: [String], as side: String, redaction: Redaction
  ) {
    guard !names.isEmpty else { return }
    let shown = redaction.headers(headers)
    for name in names {
      let values = shown.values(for: name)
      if !values.isEmpty { self["http.\(side).header.\(name.lowercased())"] = .strings(values) }
    }
  }

  fileprivate mutating func add(_ metrics: TransportSummary.Metrics) {
    if let version = metrics.httpVersion, let slash = version.firstIndex(of: "/") {
      self["network.protocol.name"] = .string(version[..<slash].lowercased())
      self["network.protocol.version"] = .string(String(version[version.index(after: slash)...]))
    }
    guard let peer = metrics.peer else { return }
    self["network.peer.address"] = .string(peer.address)
    if let port = peer.port { self["network.peer.port"] = .int(port) }
  }

  private static let knownMethods = knownMethods(in: ProcessInfo.processInfo.environment)

  static func knownMethods(in environment: [String: String]) -> Set<String> {
    let list = environment["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"] ?? ""
    let names = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let known = Set(names.filter { !$0.isEmpty })
    return known.isEmpty ? conventionalMethods : known
  }

  private static let conventionalMethods: Set = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
  ]
}
