/// Judges a response before decoding, in two steps: the head, then the complete response.
///
/// Validators run in the order of ``Request/validators``, and the first refusal ends the judging. All
/// validators judge the head before any validator judges the body. A ``Refusal`` chooses the kind and the
/// cause of the ``RequestError``. Any other error is the cause itself.
///
/// ## Choose between a validator and `filterResponse`
///
/// A validator only judges. ``Request/filterResponse(_:context:)`` runs after every validator. Use
/// `filterResponse` to change the response before decoding, or to refuse the response after asynchronous
/// work.
public protocol ResponseValidator: Sendable {
  /// Judges the head, without the body; accepts by default.
  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict

  /// Returns the error for a refusal by this validator; returns `error` by default.
  ///
  /// Called for a response refused in ``validate(_:context:)``. Also called for a head refused with
  /// ``HeadVerdict/refusedWithBody(_:)``, with the beginning of the body. The method may decode the body and
  /// set the result as ``Refusal/cause``, as ``StandardValidator/errorBody(_:keyPath:)`` does.
  func refusal(_ error: any Error, of response: HTTPResponse, context: RequestContext) async -> any Error

  /// Judges the response with its body, and throws to refuse; accepts by default.
  ///
  /// Not called for a stream or a download.
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
  /// Read the beginning of the body for the error, then refuse the response.
  ///
  /// Reading stops once ``RequestError/bodyLimit`` bytes have arrived. See
  /// ``ResponseValidator/refusal(_:of:context:)``.
  case refusedWithBody(any Error)
}
