/// A value with its response and the report of its dispatch.
public struct Received<Value: Sendable>: Sendable {
  /// The value.
  public var value: Value
  /// The response of the last attempt; the status is 0 without a response.
  public var response: HTTPResponse
  /// The report of the dispatch.
  public var report: ExchangeReport
}

extension Received: PrintedByDescription {
  /// The value, the response and the report, redacted.
  public var description: String {
    "Received(value: \(shownValue), response: \(response), report: \(report))"
  }
  /// A mirror for `dump` with the value as text.
  public var customMirror: Mirror {
    Mirror(self, children: ["value": shownValue, "response": response, "report": report])
  }

  private var shownValue: String { response.link.redaction.text(String(reflecting: value)) }
}
