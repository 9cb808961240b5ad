public import Errand

/// One finding of ``RecordingTransport/check(_:agent:)``: an answer that does not fit, an endpoint without an
/// answer, or an answer without an endpoint.
public struct ContractProblem: Sendable, CustomStringConvertible {
  /// The entry; `nil` when an endpoint has none.
  public let entry: RecordedExchange?
  /// What the dispatch failed with; `nil` when no endpoint asks for the entry.
  ///
  /// Its kind tells what does not fit: ``/Errand/RequestError/Kind/status`` also of an answer that was recorded as a
  /// failure on purpose.
  public let error: RequestError?

  /// The file, the entry, the request line and the error, which has the JSON path.
  ///
  /// ```
  /// users.har, entry 3, GET https://api.example.com/users/7, 200 OK:
  /// GET https://api.example.com/users/7 failed: address.zip: expected String, found a number.
  /// …
  /// ```
  public var description: String {
    let text = error.map { "\n\($0)" } ?? " no endpoint asks for it"
    return entry.map { "\($0):\(text)" } ?? error?.description ?? ""
  }
}
