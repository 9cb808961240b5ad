/// Judges by closures; made by `.head { … }` and `.validate { … }`.
///
/// Write a type of your own instead when several requests share the rule.
public struct ClosureValidator: ResponseValidator {
  let head: (@Sendable (HTTPResponse, RequestContext) -> HeadVerdict)?
  let whole: (@Sendable (HTTPResponse, RequestContext) throws -> Void)?

  /// Judges the head by the closure of `.head`; accepts without one.
  public func judge(head response: HTTPResponse, context: RequestContext) -> HeadVerdict {
    head?(response, context) ?? .accepted
  }

  /// Judges the response by the closure of `.validate`; accepts without one.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {
    try whole?(response, context)
  }
}

extension ResponseValidator where Self == ClosureValidator {
  /// Judges the head before the body is read.
  ///
  /// ```swift
  /// .head { head, _ in head.headers["X-Maintenance"] == nil ? .accepted : .refused(AppError.maintenance) }
  /// ```
  public static func head(
    _ judge: @escaping @Sendable (HTTPResponse, RequestContext) -> HeadVerdict
  ) -> ClosureValidator {
    ClosureValidator(head: judge, whole: nil)
  }

  /// Judges the response with its body; what the closure throws is the cause of the ``RequestError``.
  ///
  /// ```swift
  /// .validate { response, _ in
  ///   if response.body.starts(with: Data("<html".utf8)) { throw Refusal("the body is a web page") }
  /// }
  /// ```
  public static func validate(
    _ validate: @escaping @Sendable (HTTPResponse, RequestContext) throws -> Void
  ) -> ClosureValidator {
    ClosureValidator(head: nil, whole: validate)
  }
}
