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
