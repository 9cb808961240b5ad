import Errand
import ErrandTelemetry
import Tracing

/// Makes a span of each attempt with swift-distributed-tracing, as a child of the span of the task that sends.
struct RequestTracing {
  var tracer: any Tracer = InstrumentationSystem.tracer
  /// The names of the fields of the request that become attributes.
  var requestHeaders: [String] = []
  /// The names of the fields of the response that become attributes.
  var responseHeaders: [String] = []
}

extension RequestTracing: AttemptScope {
  func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async {
    // The name of the span follows at the end, when it is known what was sent.
    let span: any Span = tracer.startSpan(context.request.method.token, ofKind: .client)
    let report = await ServiceContext.withValue(span.context) { await attempt() }
    let attributes = report.attributes(requestHeaders: requestHeaders, responseHeaders: responseHeaders)
    span.operationName = attributes.spanName
    for (name, value) in attributes.values { span.attributes[name] = value.spanAttribute }
    if attributes["error.type"] != nil {
      span.setStatus(SpanStatus(code: .error, message: report.failure?.kind.name))
    }
    span.end()
  }

  /// Lets the tracer add fields such as `traceparent`, as long as no redirect has left the origin: these fields may carry baggage.
  func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
    guard !context.hasLeftOrigin, let current = ServiceContext.current else { return }
    tracer.inject(current, into: &request.headers, using: HeaderInjector())
  }
}

private struct HeaderInjector: Injector {
  func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers[key] = value }
}

extension TelemetryAttributes.Value {
  fileprivate var spanAttribute: SpanAttribute {
    switch self {
    case .string(let text): .string(text)
    case .int(let number): .int64(Int64(number))
    case .double(let number): .double(number)
    case .strings(let texts): .stringArray(texts)
    }
  }
}
