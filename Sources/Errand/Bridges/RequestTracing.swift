#if Tracing
public import Tracing

/// Makes a span of each attempt, with swift-distributed-tracing; with the trait `Tracing` only.
///
/// ```swift
/// let agent = RequestAgent(baseURL: "https://api.example.com", hooks: [RequestTracing()])
/// try await withSpan("load the profile") { _ in try await agent.send(GetUser(id: 7)) }
/// ```
///
/// The parent is the span of the task that sends; of a retry the same one, not the span of the attempt before. The attributes are those of
/// ``AttemptReport/attributes(requestHeaders:responseHeaders:)``. A span has the kind `client`, the name ``TelemetryAttributes/spanName``, and where the
/// attempt failed the status `error`. That of a stream ends with its head.
///
/// What the tracer injects, such as `traceparent`, is sent with each request, redirects included, as long as they do not leave the origin: it may
/// carry baggage, which is no stranger's business.
public struct RequestTracing: AttemptScope {
  private let tracer: (any Tracer)?
  private let requestHeaders: [String]
  private let responseHeaders: [String]

  /// Makes the hooks.
  ///
  /// - Parameters:
  ///   - tracer: makes the spans; `nil`, the default, is the one of `InstrumentationSystem`.
  ///   - requestHeaders: names of fields of the request that become attributes; none by default.
  ///   - responseHeaders: names of fields of the response; none by default.
  public init(
    tracer: (any Tracer)? = nil, requestHeaders: [String] = [], responseHeaders: [String] = []
  ) {
    self.tracer = tracer
    self.requestHeaders = requestHeaders
    self.responseHeaders = responseHeaders
  }

  /// Runs the attempt in its span.
  public func withAttempt(_ context: RequestContext, _ attempt: () async -> AttemptReport) async {
    let tracer: any Tracer = tracer ?? InstrumentationSystem.tracer
    // It gets its name at its end, when it is known what was sent.
    let span: any Span = tracer.startSpan(context.request.method.token, ofKind: .client)
    let report = await ServiceContext.withValue(span.context) { await attempt() }
    let attributes = report.attributes(requestHeaders: requestHeaders, responseHeaders: responseHeaders)
    span.operationName = attributes.spanName
    span.updateAttributes { all in
      for name in attributes.names { all[name] = attributes[name]?.spanAttribute }
    }
    if attributes["error.type"] != nil {
      span.setStatus(SpanStatus(code: .error, message: report.failure?.kind.name))
    }
    span.end()
  }

  /// Lets the tracer add its headers.
  public func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    guard !context.hasLeftOrigin, let current = ServiceContext.current else { return }
    let instrument: any Instrument = tracer ?? InstrumentationSystem.instrument
    instrument.inject(current, into: &request.headers, using: HeaderInjector())
  }

  private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers[key] = value }
  }
}

extension TelemetryAttributes.Value {
  fileprivate var spanAttribute: SpanAttribute {
    switch self {
    case .string(let text): .string(text)
    case .int(let number): .int64(Int64(number))
    case .strings(let texts): .stringArray(texts)
    }
  }
}
#endif
