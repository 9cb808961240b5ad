/// A check of a response: first of the head, then of the complete response.
///
/// The first refusal ends the validation. A ``Refusal`` usually chooses the kind of the ``RequestError``.
///
/// Use ``Request/filterResponse(_:context:)`` to change the response, or to refuse after asynchronous work.
public protocol ResponseValidator: Sendable {
  /// Judges the head, without the body; accepts by default.
  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict

  /// Returns the error for a refusal by this validator; returns `error` by default.
  ///
  /// Not called after ``HeadVerdict/refused(_:)``. The response may have only the beginning of the body.
  /// Decode an error body here, as ``StandardValidator/errorBody(_:keyPath:)`` does.
  func refusal(_ error: any Error, of response: HTTPResponse, context: RequestContext) async -> any Error

  /// Judges a complete response, and throws to refuse; accepts by default.
  ///
  /// Not called for streams and downloads.
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
  /// The validator accepts the head.
  case accepted
  /// The validator refuses the response, and the body is not read.
  case refused(any Error)
  /// The validator refuses the response; the error gets up to ``RequestError/bodyLimit`` bytes of the body.
  case refusedWithBody(any Error)
}
