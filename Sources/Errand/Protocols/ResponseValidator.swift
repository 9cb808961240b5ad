/// Judges a response before decoding: first the head, then the complete response.
///
/// The first refusal ends the judging. A ``Refusal`` chooses the kind and the cause of the ``RequestError``;
/// any other error is the cause.
///
/// ## Choose between a validator and `filterResponse`
///
/// To change the response, or to await before refusing, use ``Request/filterResponse(_:context:)``, called
/// after the validators.
public protocol ResponseValidator: Sendable {
  /// Judges the head, without the body; accepts by default.
  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict

  /// Returns the error for a refusal by this validator; returns `error` by default.
  ///
  /// Called for a refused response, or a refused head with the beginning of the body. Decode the body here,
  /// as ``StandardValidator/errorBody(_:keyPath:)`` does.
  func refusal(_ error: any Error, of response: HTTPResponse, context: RequestContext) async -> any Error

  /// Judges the response with its body, and throws to refuse; accepts by default.
  ///
  /// Streams and downloads have no call.
  func validate(_ response: HTTPResponse, context: RequestContext) throws
}

extension ResponseValidator {
  /// Accepts.
  public func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict { .accepted }
  /// Returns `error`.
  public func refusal(
    _ error: any Error, of response: HTTPResponse, context: RequestContext
  ) async -> any Error { error }
  /// Accepts.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {}
}

/// The verdict of a validator on a response head.
public enum HeadVerdict: Sendable {
  /// Continue.
  case accepted
  /// Refuse the response without reading the body.
  case refused(any Error)
  /// Refuse the response with the beginning of the body, up to ``RequestError/bodyLimit`` bytes.
  case refusedWithBody(any Error)
}
