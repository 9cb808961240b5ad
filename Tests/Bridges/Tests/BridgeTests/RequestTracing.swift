import Errand
import Tracing

/// Creates a span for each attempt with swift-distributed-tracing.
///
/// The parent is the current span of the sending task.
struct RequestTracing {
  var tracer: any Tracer = InstrumentationSystem.tracer
  /// The names of request headers that become attributes.
  var requestHeaders: [String] = []
  /// The names of response headers that become attributes.
  var responseHeaders: [String] = []
}

extension RequestTracing: AttemptScope {
  func withAttempt(_ context: RequestContext, run attempt: () async -> AttemptReport) async {
    // The final name of the span is set at the end, because the name depends on the sent request.
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

  /// Injects the tracer's headers, such as `traceparent`, unless a redirect left the origin.
  ///
  /// These headers may carry baggage.
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
    case .strings(let texts): .stringArray(texts)
    }
  }
}
