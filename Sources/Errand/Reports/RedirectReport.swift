public import Foundation

extension AttemptReport {
  /// The report of a followed redirect.
  ///
  /// The description hides secrets; see ``Redaction``.
  public struct Redirect: Sendable, Hashable {
    /// The redirected URL, as sent.
    public var from: URL
    /// The status: 301, 302, 303, 307 or 308.
    public var status: HTTPResponse.Status
    /// The target of the redirect, with its fragment, before `filterRequest` hooks.
    ///
    /// The fragment is never sent (RFC 9110 section 10.2.2).
    public var to: URL
    /// The method of the request to the new URL.
    public var method: HTTPMethod
    /// The time at which the redirect was followed, relative to the start of the dispatch, by the agent's
    /// clock.
    public var followed: Duration = .zero
    /// The redirected request, as sent, for HAR files, and its method.
    var sent = SentRequest()
    /// The redirected request, as sent; `nil`: the report was decoded.
    package var request: HTTPRequest? { sent.request }
    /// A reference to the dispatch, for the redaction of printed text.
    var link = RedactionSource()
  }
}

/// A sent request without effect on comparison and printing.
struct SentRequest: Sendable, Hashable {
  var request: HTTPRequest?
  /// The method; `nil`: unknown.
  var method: HTTPMethod?

  init() {}

  init(request: HTTPRequest) { (self.request, method) = (request, request.method) }

  /// Creates the request of a decoded report.
  init(method: HTTPMethod?) { self.method = method }

  /// The method and a space before a URL; empty for an unknown method.
  var prefix: String { method.map { "\($0) " } ?? "" }

  static func == (a: SentRequest, b: SentRequest) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension AttemptReport.Redirect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `303 See Other from POST https://a.example/1 to GET https://a.example/2`.
  ///
  /// Secrets are hidden by ``Redaction/standard``, together with the secret values of the dispatch.
  public var description: String {
    let redaction = link.redaction
    return "\(status) from \(sent.prefix)\(redaction.url(from)) to \(method) \(redaction.url(to))".printed
  }
  /// The same text as ``description``.
  public var debugDescription: String { description }
  /// A mirror for `dump` with redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
