/// A validator that comes with Errand, made by `.status(200..<300)`, `.contentType("application/json")`, `.json(["id": .integer])`,
/// `.head { … }` or `.validate { … }`.
///
/// Write a type of your own, a ``ResponseValidator``, for a rule that several requests share.
public struct StandardValidator: ResponseValidator {
  typealias JudgeHead = @Sendable (HTTPResponse, RequestContext) -> HeadVerdict
  typealias JudgeWhole = @Sendable (HTTPResponse, RequestContext) throws -> Void

  /// The default of ``Request/validators``.
  static let standard: [any ResponseValidator] = [.status(200..<300)]

  private let head: JudgeHead?
  private let whole: JudgeWhole?
  /// Whether it accepts status 200..<300, as the default does.
  let isDefault: Bool
  /// Makes the cause of a refusal of the body; `nil` where it was not asked for.
  private var cause: (@Sendable (HTTPResponse, RequestContext) async throws -> any Error)?
  /// The name of its type, for a body that is none.
  private var causeName = ""

  init(head: JudgeHead? = nil, whole: JudgeWhole? = nil, isDefault: Bool = false) {
    (self.head, self.whole, self.isDefault) = (head, whole, isDefault)
  }

  /// Judges the head, where it is made for that; accepts otherwise.
  public func judge(head response: HTTPResponse, context: RequestContext) -> HeadVerdict {
    head?(response, context) ?? .accepted
  }

  /// Judges the response with its body, where it is made for that; accepts otherwise.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {
    try whole?(response, context)
  }

  /// The same, which decodes the body of a refused response as an error of the service's own.
  ///
  /// ```swift
  /// var validators: [any ResponseValidator] { [.status(200..<300).errorBody(ShopProblem.self)] }
  /// ```
  ///
  /// The error is the ``RequestError/cause``: `error.cause(as: ShopProblem.self)`; hooks that decide on retries have it too. The
  /// kind stays that of the refusal, such as ``RequestError/Kind/status``, and policies judge as without it. An error of your own that a
  /// closure gives stays the cause, and so does that of ``HeadVerdict/refused(_:)``, as no body is read. A body that is not of the
  /// type, such as a proxy's web page, leaves the refusal as it is, with the reason added to its message. It is decoded by the
  /// request's decoder, as a value would be. Problems of RFC 9457 need none of it: see ``RequestError/problem``.
  ///
  /// - Parameters:
  ///   - type: what the body is.
  ///   - keyPath: where in the body it is, such as `"error"`; `nil`, the default, is the whole body.
  public func errorBody<Body: Error & Decodable>(
    _ type: Body.Type, keyPath: String? = nil
  ) -> StandardValidator {
    var validator = self
    validator.causeName = "\(type)"
    validator.cause = { try await JSONResponse<Body>(keyPath: keyPath).serialize($0, context: $1) }
    return validator
  }

  /// Adds what the body says, where ``errorBody(_:keyPath:)`` asks for it.
  public func refusal(
    _ error: any Error, of response: HTTPResponse, context: RequestContext
  ) async -> any Error {
    guard let cause, var refusal = error as? Refusal, !response.body.isEmpty else { return error }
    do {
      refusal.cause = try await cause(response, context)
    } catch {
      let reason = (error as? DecodingError)?.clause ?? "\(error)"
      refusal.message += "; its body is no \(causeName): \(reason)"
    }
    return refusal
  }
}

extension ResponseValidator where Self == StandardValidator {
  /// Judges the head before the body is read.
  ///
  /// ```swift
  /// .head { head, _ in head.headers["X-Maintenance"] == nil ? .accepted : .refused(AppError.maintenance) }
  /// ```
  public static func head(
    _ judge: @escaping @Sendable (HTTPResponse, RequestContext) -> HeadVerdict
  ) -> StandardValidator {
    StandardValidator(head: judge)
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
  ) -> StandardValidator {
    StandardValidator(whole: validate)
  }

  /// Accepts a body that is JSON of the shape; ``StandardValidator/JSONShape`` has the rules.
  ///
  /// It looks at the body only; put `.contentType` before it to ask for the header too. A refusal is of kind
  /// ``RequestError/Kind/jsonShape`` and says where: `$.data.items[3].id is a string, not an integer`.
  ///
  /// ```swift
  /// var validators: [any ResponseValidator] { [.status(200..<300), .json(["data": .array(of: ["id": .integer])])] }
  /// ```
  public static func json(_ shape: StandardValidator.JSONShape) -> StandardValidator {
    StandardValidator(whole: { response, _ in try shape.validate(response.body) })
  }
}

// MARK: Status

extension ResponseValidator where Self == StandardValidator {
  /// Accepts the statuses in the range; `200..<300` is the default of ``Request/validators``.
  ///
  /// It judges the head. A refused response is read up to ``RequestError/bodyLimit`` for the error, whose kind is
  /// ``RequestError/Kind/status``: `status 503 Service Unavailable is not in 200..<300`.
  public static func status(_ range: Range<Int>) -> StandardValidator {
    StandardValidator(accepting: "in \(range)", isDefault: range == 200..<300) { range.contains($0) }
  }

  /// Accepts the statuses in the range, its end included: `.status(200...299)`.
  public static func status(_ range: ClosedRange<Int>) -> StandardValidator {
    StandardValidator(accepting: "in \(range)") { range.contains($0) }
  }

  /// Accepts the statuses named and no other: `.status(200, 304)`.
  public static func status(_ first: Int, _ others: Int...) -> StandardValidator {
    let codes = [first] + others
    return StandardValidator(accepting: codes.map(String.init).listedWithOr) { codes.contains($0) }
  }
}

extension StandardValidator {
  /// - Parameter expected: what is accepted, as the end of a clause.
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
  /// Status 200..<300.
  public var validators: [any ResponseValidator] { StandardValidator.standard }
}

extension [any ResponseValidator] {
  /// Whether they are those of a request that says nothing of validators.
  var areStandard: Bool { count == 1 && (self[0] as? StandardValidator)?.isDefault == true }
}

// MARK: Content type

extension ResponseValidator where Self == StandardValidator {
  /// Accepts the media types named: `.contentType("application/json", "text/*")`.
  ///
  /// `*/*` accepts every answer, also one that has no type or none that can be read, as the client wants anything (RFC 9110 section
  /// 12.5.1). `text/*` accepts every text, `application/*+json` every type with that suffix (RFC 6839). Case and parameters do not count. A refused response is read up to ``RequestError/bodyLimit`` for the error, whose kind is
  /// ``RequestError/Kind/contentType``: `content type text/html is not application/json`.
  ///
  /// A response without `Content-Type` is accepted by other ranges when its body is empty, and refused otherwise; so that is judged with the body. One
  /// that has no body by definition is accepted whatever it says: 204, 205 and 304, and the answer to a `HEAD` (RFC 9110 section
  /// 6.4.1). Put it behind `.status`: a refused status has often another type, and says more.
  public static func contentType(_ first: String, _ others: String...) -> StandardValidator {
    StandardValidator(ContentTypes(ranges: ([first] + others).map { MediaRange($0) }))
  }

  /// Accepts what the request asks for: the `Accept` of its ``Request/headers``, else that of its
  /// ``Request/responseSerializer``; with neither it accepts every type (RFC 9110 section 12.5.1).
  ///
  /// What ``Request/with(_:_:)`` puts in their place counts instead.
  public static var contentType: StandardValidator { StandardValidator(ContentTypes(ranges: nil)) }
}

extension StandardValidator {
  fileprivate init(_ types: ContentTypes) { self.init(head: types.judge, whole: types.validate) }
}

/// The media types that a response may have.
private struct ContentTypes: Sendable {
  /// `nil` for what the request accepts.
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

  /// Refuses a body of which the server does not say what it is.
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
    let accept = request.headers["Accept"] ?? request.responseSerializer.accept
    let ranges = accept.map(MediaRange.list) ?? []
    return ranges.isEmpty ? nil : ranges
  }
}
