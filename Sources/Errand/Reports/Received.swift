/// A value with the response it was made of and the account of its dispatch.
public struct Received<Value: Sendable>: Sendable {
  /// The value.
  public var value: Value
  /// The last response.
  ///
  /// Where a hook made up the value after no response came, its status is 0.
  public var response: HTTPResponse
  /// The account of the dispatch.
  public var report: ExchangeReport
}

extension Received: PrintedByDescription {
  /// The value, the response and the account; secrets hidden, in the value those that its dispatch knows.
  public var description: String {
    "Received(value: \(shownValue), response: \(response), report: \(report))"
  }
  /// Shows `dump` the value as text.
  public var customMirror: Mirror {
    Mirror(self, children: ["value": shownValue, "response": response, "report": report])
  }

  private var shownValue: String { response.link.redaction.text(String(reflecting: value)) }
}
