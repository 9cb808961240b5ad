/// Judges the `Content-Type` of a response; made by `.contentType("application/json")` and `.contentType`.
///
/// Case and parameters do not count. A refused response is read up to ``RequestError/bodyLimit`` for the error,
/// whose kind is ``RequestError/Kind/contentType``. A response without `Content-Type` is accepted when its body is
/// empty, and refused otherwise; so that is judged with the body. One that has no body by definition is accepted
/// whatever it says: 204, 205 and 304, and the answer to a `HEAD` (RFC 9110 section 6.4.1).
///
/// Put it behind `.status`: a refused status has often another type, and says more.
public struct ContentTypeValidator: ResponseValidator {
  /// `nil` for what the request accepts.
  let ranges: [MediaRange]?

  /// Refuses a content type that is not accepted: `content type text/html is not application/json`.
  public func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    guard let text = head.headers.values(for: "Content-Type").last,
      let ranges = ranges ?? Self.accepted(by: context.dispatched.request)
    else { return .accepted }
    let media = MediaType(text)
    if let media, ranges.contains(where: { $0.accepts(media) }) { return .accepted }
    if Self.hasNoBody(head, context.dispatched.request) { return .accepted }
    let expected = ranges.map(\.description).listedWithOr
    let found = media?.description ?? text
    return .refusedWithBody(Refusal("content type \(found) is not \(expected)", kind: .contentType))
  }

  /// Refuses a body of which the server does not say what it is.
  public func validate(_ response: HTTPResponse, context: RequestContext) throws {
    guard !response.body.isEmpty, !response.headers.contains("Content-Type"),
      let ranges = ranges ?? Self.accepted(by: context.dispatched.request)
    else { return }
    let expected = ranges.map(\.description).listedWithOr
    throw Refusal("the response has no content type, \(expected) was expected", kind: .contentType)
  }

  private static func hasNoBody(_ head: HTTPResponse, _ request: some Request) -> Bool {
    [204, 205, 304].contains(head.status.code) || (request.customRequest?.method ?? request.method) == .head
  }

  private static func accepted<R: Request>(by request: R) -> [MediaRange]? {
    let accept = request.headers["Accept"] ?? request.responseSerializer.accept
    let ranges = accept.map(MediaRange.list) ?? []
    return ranges.isEmpty ? nil : ranges
  }
}

extension ResponseValidator where Self == ContentTypeValidator {
  /// Accepts the media types named: `.contentType("application/json", "text/*")`.
  ///
  /// `*/*` accepts every type, `text/*` every text, `application/*+json` every type with that suffix (RFC 6839).
  public static func contentType(_ first: String, _ others: String...) -> ContentTypeValidator {
    ContentTypeValidator(ranges: ([first] + others).map { MediaRange($0) })
  }

  /// Accepts what the request asks for: the `Accept` of its ``Request/headers``, else that of its
  /// ``Request/responseSerializer``; with neither it accepts every type (RFC 9110 section 12.5.1).
  ///
  /// What ``Request/with(_:_:)`` puts in their place counts instead.
  public static var contentType: ContentTypeValidator { ContentTypeValidator(ranges: nil) }
}
