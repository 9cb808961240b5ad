/// A response validator that Errand provides.
///
/// Create a validator with `.status(200..<300)`, `.contentType("application/json")`,
/// `.json(["id": .integer])`, `.head { … }` or `.validate { … }`. For a rule that several requests share,
/// write a type that conforms to ``ResponseValidator``.
public struct StandardValidator: ResponseValidator {
  typealias JudgeHead = @Sendable (HTTPResponse, RequestContext) -> HeadVerdict
  typealias JudgeWhole = @Sendable (HTTPResponse, RequestContext) throws -> Void

  static let standard: [any ResponseValidator] = [.status(200..<300)]

  private let head: JudgeHead?
  private let whole: JudgeWhole?
  let isDefault: Bool
  /// Decodes the cause of a refusal; `nil` without ``errorBody(_:keyPath:)``.
  private var cause: (@Sendable (HTTPResponse, RequestContext) async throws -> any Error)?
  private var causeName = ""

  init(head: JudgeHead? = nil, whole: JudgeWhole? = nil, isDefault: Bool = false) {
    (self.head, self.whole, self.isDefault) = (head, whole, isDefault)
  }

  /// Checks the head if the validator has a rule for heads; otherwise accepts the response.
  public func judge(head response: HTTPResponse, context: RequestContext) -> HeadVerdict {
    head?(response, context) ?? .accepted
  }

  /// Checks the complete response if the validator has a rule for bodies; otherwise accepts the response.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {
    try whole?(response, context)
  }

  /// Returns a validator that decodes a refused body as a service-specific error.
  ///
  /// ```swift
  /// var validators: [any ResponseValidator] { [.status(200..<300).errorBody(ShopProblem.self)] }
  /// ```
  ///
  /// The decoded error becomes the ``RequestError/cause``: `error.cause(as: ShopProblem.self)`. The kind of
  /// the refusal, such as ``RequestError/Kind/status``, does not change.
  ///
  /// The request's decoder decodes the body. If the body does not decode, the validator adds the reason to
  /// the message of the refusal. An empty or unread body changes nothing. Only a ``Refusal`` by this
  /// validator receives a decoded cause. For RFC 9457, use ``RequestError/problem`` instead.
  ///
  /// - Parameters:
  ///   - type: the type of the error.
  ///   - keyPath: the location of the error in the body, such as `"error"`; `nil`, the default: the whole
  ///     body.
  public func errorBody<Body: Error & Decodable>(
    _ type: Body.Type, keyPath: String? = nil
  ) -> StandardValidator {
    var validator = self
    validator.causeName = "\(type)"
    validator.cause = { try await JSONResponse<Body>(keyPath: keyPath).serialize($0, context: $1) }
    return validator
  }

  /// Adds the decoded body to a refusal, if ``errorBody(_:keyPath:)`` was called.
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
  /// Checks the head before the body is read.
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
  /// Streams and downloads skip the check. An error thrown by the closure becomes the cause of the
  /// ``RequestError``. If a ``Refusal`` has a cause, the ``RequestError`` takes that cause.
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

  /// Accepts a body that is JSON of the given shape; ``/ErrandJSON/JSONShape`` documents the rules.
  ///
  /// The validator checks only the body. Streams and downloads skip the check. Add `.contentType` before
  /// `.json` to check the header too. A refusal has the kind ``RequestError/Kind/jsonShape``. For a wrong
  /// shape, the refusal includes the location: `$.data.items[3].id is a string, not an integer`.
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
  /// The validator checks the head. The error keeps up to ``RequestError/bodyLimit`` bytes of the refused
  /// body. The error's kind is ``RequestError/Kind/status``:
  /// `status 503 Service Unavailable is not in 200..<300`.
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
  /// `text/*` accepts every text type. `application/*+json` accepts every application type with the suffix
  /// (RFC 6839). `*/*` accepts every response, even without a valid `Content-Type`. Letter case and
  /// parameters are ignored. The error's kind is ``RequestError/Kind/contentType``:
  /// `content type text/html is not application/json`.
  ///
  /// A response without `Content-Type` is accepted if the body is empty, or with the range `*/*`. This check
  /// needs the body, so streams and downloads accept a response without `Content-Type`. Responses to `HEAD`,
  /// and responses with status 204, 205 or 304, may have any type (RFC 9110 sections 6.4.1 and 15.3.6).
  ///
  /// Put `.contentType` after `.status`. The first refusal counts, and a refused status is more informative
  /// than a refused type.
  public static func contentType(_ first: String, _ others: String...) -> StandardValidator {
    StandardValidator(ContentTypes(ranges: ([first] + others).map { MediaRange($0) }))
  }

  /// Accepts the media types that the request accepts (RFC 9110 section 12.5.1).
  ///
  /// The types come from the `Accept` field of ``Request/headers``, or from ``Request/responseSerializer``.
  /// From a ``Request/customRequest``, only the `Accept` field is used. Without a source, every type is
  /// accepted.
  public static var contentType: StandardValidator { StandardValidator(ContentTypes(ranges: nil)) }
}

extension StandardValidator {
  fileprivate init(_ types: ContentTypes) { self.init(head: types.judge, whole: types.validate) }
}

private struct ContentTypes: Sendable {
  /// `nil`: the ranges that the request accepts.
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
