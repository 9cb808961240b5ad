/// A response validator that Errand provides.
///
/// To share a rule among requests, write a type that conforms to ``ResponseValidator``.
public struct StandardValidator: ResponseValidator {
  typealias JudgeHead = @Sendable (HTTPResponse, RequestContext) -> HeadVerdict
  typealias JudgeWhole = @Sendable (HTTPResponse, RequestContext) throws -> Void

  static let standard: [any ResponseValidator] = [.status(200..<300)]

  private let head: JudgeHead?
  private let whole: JudgeWhole?
  let isDefault: Bool
  /// Decodes a refused body; `nil` without ``errorBody(_:keyPath:)``.
  private var cause: (@Sendable (HTTPResponse, RequestContext) async throws -> any Error)?
  private var causeName = ""

  init(head: JudgeHead? = nil, whole: JudgeWhole? = nil, isDefault: Bool = false) {
    (self.head, self.whole, self.isDefault) = (head, whole, isDefault)
  }

  /// Checks the head.
  ///
  /// Without a rule for heads, accepts the head.
  public func judge(head response: HTTPResponse, context: RequestContext) -> HeadVerdict {
    head?(response, context) ?? .accepted
  }

  /// Checks the complete response.
  ///
  /// Without a rule for complete responses, accepts the response.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {
    try whole?(response, context)
  }

  /// Returns a validator that decodes a refused body as a service-specific error.
  ///
  /// ```swift
  /// var validators: [any ResponseValidator] { [.status(200..<300).errorBody(ShopProblem.self)] }
  /// ```
  ///
  /// If this validator refuses a response with a `Refusal`, the decoded error becomes the
  /// ``RequestError/cause``. After the head verdict `refused`, the body is not read, so nothing is decoded.
  /// For problem details (RFC 9457), use ``RequestError/problem``.
  ///
  /// - Parameters:
  ///   - type: The type of the error.
  ///   - keyPath: The location of the error in the body, such as `"error"`; `nil`, the default: the whole
  ///     body.
  public func errorBody<Body: Error & Decodable>(
    _ type: Body.Type, keyPath: String? = nil
  ) -> StandardValidator {
    var validator = self
    validator.causeName = "\(type)"
    validator.cause = { try await JSONResponse<Body>(keyPath: keyPath).serialize($0, context: $1) }
    return validator
  }

  /// Sets the decoded body as the cause of a `Refusal`, if ``errorBody(_:keyPath:)`` was called.
  ///
  /// If a nonempty body cannot be decoded, the reason is added to the refusal's message.
  public func refusal(
    _ error: any Error, of response: HTTPResponse, context: RequestContext
  ) async -> any Error {
    guard let cause, var refusal = error as? Refusal, !response.body.isEmpty else { return error }
    do {
      refusal.cause = try await cause(response, context)
    } catch {
      let reason = (error as? DecodingError)?.clause ?? "\(error)"
      refusal.message += "; the body is not a valid \(causeName): \(reason)"
    }
    return refusal
  }
}

extension ResponseValidator where Self == StandardValidator {
  /// Checks the head, without the body.
  ///
  /// ```swift
  /// .head { head, _ in head.headers["X-Maintenance"] == nil ? .accepted : .refused(AppError.maintenance) }
  /// ```
  public static func head(
    _ judge: @escaping @Sendable (HTTPResponse, RequestContext) -> HeadVerdict
  ) -> StandardValidator {
    StandardValidator(head: judge)
  }

  /// Checks the complete response.
  ///
  /// Streams and downloads skip the check. A thrown error usually becomes the cause of the ``RequestError``.
  ///
  /// ```swift
  /// .validate { response, _ in
  ///   if response.body.starts(with: Data("<html".utf8)) { throw Refusal("the body is a web page") }
  /// }
  /// ```
  public static func validate(
    _ validate: @escaping @Sendable (HTTPResponse, RequestContext) throws -> Void
  ) -> StandardValidator {
    StandardValidator(whole: validate)
  }

  /// Accepts a body that is JSON of the given shape; see ``/ErrandJSON/JSONShape``.
  ///
  /// Streams and downloads skip the check. A refusal has the kind ``RequestError/Kind/jsonShape``.
  ///
  /// ```swift
  /// var validators: [any ResponseValidator] {
  ///   [.status(200..<300), .json(["data": .array(of: ["id": .integer])])]
  /// }
  /// ```
  public static func json(_ shape: JSONShape) -> StandardValidator {
    StandardValidator(whole: { response, _ in try shape.validate(response.body) })
  }
}

// MARK: Status

extension ResponseValidator where Self == StandardValidator {
  /// Accepts the statuses in the range; `200..<300` is the default of ``Request/validators``.
  ///
  /// A refusal has the kind ``RequestError/Kind/status``.
  public static func status(_ range: Range<Int>) -> StandardValidator {
    StandardValidator(accepting: "in \(range)", isDefault: range == 200..<300) { range.contains($0) }
  }

  /// Accepts the statuses in a closed range: `.status(200...299)`.
  public static func status(_ range: ClosedRange<Int>) -> StandardValidator {
    StandardValidator(accepting: "in \(range)") { range.contains($0) }
  }

  /// Accepts only the named statuses: `.status(200, 304)`.
  public static func status(_ first: Int, _ others: Int...) -> StandardValidator {
    let codes = [first] + others
    return StandardValidator(accepting: codes.map(String.init).listedWithOr) { codes.contains($0) }
  }
}

extension StandardValidator {
  fileprivate init(
    accepting expected: @autoclosure @escaping @Sendable () -> String, isDefault: Bool = false,
    _ accepts: @escaping @Sendable (Int) -> Bool
  ) {
    self.init(
      head: { head, _ in
        guard !accepts(head.status.code) else { return .accepted }
        return .refusedWithBody(Refusal("status \(head.status) is not \(expected())", kind: .status))
      }, isDefault: isDefault)
  }
}

extension Request {
  /// The default validator, `.status(200..<300)`.
  public var validators: [any ResponseValidator] { StandardValidator.standard }
}

extension [any ResponseValidator] {
  var areStandard: Bool { count == 1 && (self[0] as? StandardValidator)?.isDefault == true }
}

// MARK: Content type

extension ResponseValidator where Self == StandardValidator {
  /// Accepts the named media types: `.contentType("application/json", "text/*")`.
  ///
  /// `application/*+json` accepts types with the suffix (RFC 6839). Letter case and parameters are ignored.
  ///
  /// An empty body needs no `Content-Type`. Streams and downloads accept responses without `Content-Type`.
  /// Put `.contentType` after `.status`, because the first refusal counts.
  public static func contentType(_ first: String, _ others: String...) -> StandardValidator {
    StandardValidator(ContentTypes(ranges: ([first] + others).map { MediaRange($0) }))
  }

  /// Accepts the media types that the request accepts (RFC 9110 section 12.5.1).
  ///
  /// The types come from the request's own `Accept` field, or else from ``Request/responseSerializer``. For a
  /// custom request, only the `Accept` field counts. An `Accept` field of the agent or of a hook does not
  /// count. Without types, all responses are accepted.
  public static var contentType: StandardValidator { StandardValidator(ContentTypes(ranges: nil)) }
}

extension StandardValidator {
  fileprivate init(_ types: ContentTypes) { self.init(head: types.judge, whole: types.validate) }
}

private struct ContentTypes: Sendable {
  /// `nil`: the ranges accepted by the request.
  let ranges: [MediaRange]?

  @Sendable func judge(_ head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    guard let text = head.headers.values(for: "Content-Type").last,
      let ranges = ranges ?? Self.accepted(by: context.dispatched.request)
    else { return .accepted }
    if ranges.contains(where: \.isAny) { return .accepted }
    let media = MediaType(text)
    if let media, ranges.contains(where: { $0.accepts(media) }) { return .accepted }
    if Self.hasNoBody(head, to: context.dispatched.request) { return .accepted }
    let expected = ranges.map(\.description).listedWithOr
    let found = media?.description ?? text
    return .refusedWithBody(Refusal("content type \(found) is not \(expected)", kind: .contentType))
  }

  @Sendable func validate(_ response: HTTPResponse, context: RequestContext) throws {
    guard !response.body.isEmpty, !response.headers.contains("Content-Type"),
      let ranges = ranges ?? Self.accepted(by: context.dispatched.request), !ranges.contains(where: \.isAny)
    else { return }
    let expected = ranges.map(\.description).listedWithOr
    throw Refusal("the response has no content type, \(expected) was expected", kind: .contentType)
  }

  private static func hasNoBody(_ head: HTTPResponse, to request: some Request) -> Bool {
    [204, 205, 304].contains(head.status.code) || (request.customRequest?.method ?? request.method) == .head
  }

  private static func accepted<R: Request>(by request: R) -> [MediaRange]? {
    let accept =
      if let custom = request.customRequest {
        custom.headers["Accept"]
      } else {
        request.headers["Accept"] ?? request.responseSerializer.accept
      }
    let ranges = accept.map(MediaRange.list) ?? []
    return ranges.isEmpty ? nil : ranges
  }
}
