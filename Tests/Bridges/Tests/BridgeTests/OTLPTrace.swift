import Errand
import Foundation
import InMemoryTracing
import Tracing

/// Spans in the JSON format of OTLP/HTTP, with the members that the tests need.
struct OTLPTrace: Encodable, Sendable {
  private struct ResourceSpans: Encodable, Sendable { var scopeSpans: [ScopeSpans] }
  private struct ScopeSpans: Encodable, Sendable { var spans: [Span] }
  private struct Span: Encodable, Sendable {
    var traceId: String
    var spanId: String
    var parentSpanId: String?
    var name: String
    var kind: Int
    var startTimeUnixNano: String
    var endTimeUnixNano: String
    var attributes: [Attribute]
    var status: Status
  }
  private struct Status: Encodable, Sendable { var code: Int }
  private struct Attribute: Encodable, Sendable {
    var key: String
    var value: Value
  }
  private struct Value: Encodable, Sendable {
    struct List: Encodable, Sendable { var values: [Value] }
    var stringValue: String?
    var intValue: String?
    var arrayValue: List?
  }

  private var resourceSpans: [ResourceSpans]

  /// - Parameter renaming: The attribute that is renamed to an unknown name.
  init(_ spans: [FinishedInMemorySpan], renaming: String? = nil) {
    resourceSpans = [
      ResourceSpans(scopeSpans: [ScopeSpans(spans: spans.map { Self.span($0, renaming) })])
    ]
  }

  private static func span(_ span: FinishedInMemorySpan, _ renaming: String?) -> Span {
    var attributes: [Attribute] = []
    span.attributes.forEach { name, value in
      attributes.append(Attribute(key: name == renaming ? "\(name).x" : name, value: Self.value(value)))
    }
    return Span(
      traceId: span.traceID, spanId: span.spanID, parentSpanId: span.parentSpanID, name: span.operationName,
      kind: span.kind == .client ? 3 : 1,
      startTimeUnixNano: "\(span.startInstant.nanosecondsSinceEpoch)",
      endTimeUnixNano: "\(span.endInstant.nanosecondsSinceEpoch)", attributes: attributes,
      status: Status(code: span.status?.code == .error ? 2 : 0))
  }

  private static func value(_ value: SpanAttribute) -> Value {
    switch value {
    case .string(let text): Value(stringValue: text)
    case .int64(let number): Value(intValue: "\(number)")
    case .stringArray(let texts):
      Value(arrayValue: .init(values: texts.map { Value(stringValue: $0) }))
    default: Value()
    }
  }
}
