import Foundation

extension AttemptReport {
  /// The attempt by the names of OpenTelemetry's semantic conventions for HTTP clients; secrets hidden by the agent's ``Redaction``.
  ///
  /// | Attribute | Is |
  /// |---|---|
  /// | `http.request.method`, `http.request.method_original` | the method; `_OTHER` and its own name where it is not known |
  /// | `server.address`, `server.port` | host and port of the URL, the scheme's own port too |
  /// | `url.full` | the URL |
  /// | `url.template` | ``Request/urlTemplate``, or what is made of the path; missing where nothing is known of it |
  /// | `error.type` | the status from 400 on, else the ``RequestError/Kind``, or `cancelled`; missing for a success |
  /// | `http.response.status_code` | the status, where there was a response |
  /// | `http.request.resend_count` | ``resendCount``, from 1 on |
  /// | `network.protocol.name`, `network.protocol.version` | `http`, and `1.1`, `2` or `3`, where they are known |
  /// | `network.peer.address`, `network.peer.port` | who answered, where it is known |
  /// | `http.request.header.<name>`, `http.response.header.<name>` | the fields that you name |
  ///
  /// Known are the methods of RFC 9110, `PATCH` and `QUERY`, or in their place those that the environment variable
  /// `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS` lists with commas, in their own case. It is read once.
  ///
  /// After redirects they are of the last request. An attempt whose request could not be built has no more than `error.type`.
  ///
  /// - Parameters:
  ///   - requestHeaders: names of fields of the request; none by default.
  ///   - responseHeaders: names of fields of the response; none by default.
  public func attributes(
    requestHeaders: [String] = [], responseHeaders: [String] = []
  ) -> TelemetryAttributes {
    var attributes = TelemetryAttributes()
    let redaction = link.redaction(reporting: request)
    if let request {
      attributes.add(request, redaction: redaction)
      attributes.add(request.headers, named: requestHeaders, as: "request", redaction: redaction)
      let dispatched = link.dispatched as? RequestContext.Dispatched
      let template = dispatched.flatMap {
        URLTemplate(of: $0.request, sentTo: redirects.first?.from ?? request.url)
      }
      attributes["url.template"] = template.map { .string(redaction.text($0.text)) }
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

  /// How long the attempt took without its waits for a slot and for a rate limit, in seconds: what
  /// ``TelemetryAttributes/durationName`` measures.
  public var requestDuration: Double {
    max(0, (elapsed.bounded - slotWait.bounded - throttleWait.bounded) / .seconds(1))
  }

  private var errorType: String? {
    if let status = response?.status.code, status >= 400 { return "\(status)" }
    if case .cancelled = outcome { return "cancelled" }
    return failure?.kind.name
  }
}

extension TelemetryAttributes {
  fileprivate mutating func add(_ request: HTTPRequest, redaction: Redaction) {
    let method = request.method.token
    let isKnown = Self.knownMethods.contains(method)
    self["http.request.method"] = .string(isKnown ? method : Self.otherMethod)
    if !isKnown { self["http.request.method_original"] = .string(redaction.text(method)) }
    self["url.full"] = .string(redaction.url(request.url))
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

  /// Those that the environment lists, else those that the conventions name; an empty list counts as none.
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
