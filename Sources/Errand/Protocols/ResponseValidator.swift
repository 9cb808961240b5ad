/// Judges a response before it is decoded: the head as soon as it is there, then the whole.
///
/// Validators are asked in the order of ``Request/validators``; the first refusal ends the attempt, and every head
/// is judged before any body: where a later `.status` refuses the head, an earlier validator of bodies is not
/// asked. What the body of a refused response says comes from the validator that refused it, by
/// ``refusal(_:of:context:)``; ``StandardValidator/errorBody(_:keyPath:)`` is made of that. What a refusal throws
/// is the cause of the ``RequestError``; throw a ``Refusal`` to choose its kind.
///
/// ## Choose between a validator and `filterResponse`
///
/// A validator only judges. To change the response before it is decoded, or to refuse it after an asynchronous
/// question, use ``Request/filterResponse(_:context:)``, which runs after every validator.
public protocol ResponseValidator: Sendable {
  /// Judges the head, before the body is read; accepts by default.
  func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict

  /// Makes the error of what this validator refused: of a head, with ``HeadVerdict/refusedWithBody(_:)``, once the body is read
  /// as far as ``RequestError/bodyLimit``, and of a response, in ``validate(_:context:)``; the same error by default.
  ///
  /// Here the body may become a typed cause: a ``Refusal`` with another ``Refusal/cause`` keeps kind and message.
  func refusal(_ error: any Error, of response: HTTPResponse, context: RequestContext) async -> any Error

  /// Judges the response with its body; throws to refuse, accepts by default. Not asked of a stream.
  func validate(_ response: HTTPResponse, context: RequestContext) throws
}

extension ResponseValidator {
  /// Accepts.
  public func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict { .accepted }
  /// The same error.
  public func refusal(
    _ error: any Error, of response: HTTPResponse, context: RequestContext
  ) async -> any Error { error }
  /// Accepts.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {}
}

/// What a validator says of a head.
public enum HeadVerdict: Sendable {
  /// Go on.
  case accepted
  /// End the transfer now; the body is not read.
  case refused(any Error)
  /// Read the body for the error, up to ``RequestError/bodyLimit``, then end; see
  /// ``ResponseValidator/refusal(_:of:context:)``.
  case refusedWithBody(any Error)
}
