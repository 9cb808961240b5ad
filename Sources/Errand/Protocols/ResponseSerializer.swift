/// Makes the value of a response; runs off the main actor, after validation and `filterResponse`.
///
/// Errand has `.json()`, `.jsonLines()`, `.data`, `.text`, `.none`, `.response` and `.multipart`; write one for another format. What it throws is
/// the cause of a ``RequestError`` of kind ``RequestError/Kind/decoding``.
public protocol ResponseSerializer<Value>: Sendable {
  /// What it makes.
  associatedtype Value: Sendable

  /// The `Accept` header sent unless the headers have one (RFC 9110 section 12.5.1); `nil`, the default, sends
  /// none.
  var accept: String? { get }

  /// Makes the value of the response, which has passed every validator.
  func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Value
}

extension ResponseSerializer {
  /// Sends no `Accept`.
  public var accept: String? { nil }
}
