public import Foundation

extension AttemptReport {
  /// The report of a followed redirect.
  public struct Redirect: Sendable, Hashable {
    /// The URL of the redirected request.
    public var from: URL
    /// The status of the redirect.
    public var status: HTTPResponse.Status
    /// The URL of the next request, with any fragment, before `filterRequest` hooks.
    public var to: URL
    /// The method of the next request, before `filterRequest` hooks.
    public var method: HTTPMethod
    /// The time of the redirect, counted from the start of the dispatch.
    public var followed: Duration = .zero
    var sent = SentRequest()
    /// The redirected request; `nil`: the report was decoded.
    package var request: HTTPRequest? { sent.request }
    var link = RedactionSource()
  }
}

/// A redirected request.
///
/// All instances are equal, so that a comparison of redirects ignores the request.
struct SentRequest: Sendable, Hashable {
  var request: HTTPRequest?
  var method: HTTPMethod?

  init() {}

  init(request: HTTPRequest) { (self.request, method) = (request, request.method) }

  init(method: HTTPMethod?) { self.method = method }

  var prefix: String { method.map { "\($0) " } ?? "" }

  static func == (a: SentRequest, b: SentRequest) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension AttemptReport.Redirect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status, the known methods and the redacted URLs.
  public var description: String {
    let redaction = link.redaction
    return "\(status) from \(sent.prefix)\(redaction.url(from)) to \(method) \(redaction.url(to))".printed
  }
  /// The same text as ``description``.
  public var debugDescription: String { description }
  /// A mirror with redacted text.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
