public import Foundation

extension AttemptReport {
  /// The account of one redirect that was followed.
  ///
  /// Printing it hides secrets; see ``Redaction``.
  public struct Redirect: Sendable, Hashable {
    /// The URL that answered with it, as it was sent.
    public var from: URL
    /// The status: 301, 302, 303, 307 or 308.
    public var status: HTTPResponse.Status
    /// Where it led, before `filterRequest` saw it, with the fragment, which is not sent (RFC 9110 section 10.2.2).
    public var to: URL
    /// The method it was followed with.
    public var method: HTTPMethod
    /// When its answer was there, from the start of the dispatch, by the agent's clock.
    public var followed: Duration = .zero
    /// What was answered with it; for HAR files.
    var sent = SentRequest()
    /// The request that was answered with the redirect; `nil` in a report that was read.
    package var request: HTTPRequest? { sent.request }
    /// To the dispatch that followed it.
    var link = RedactionSource()
  }
}

/// A request that was sent, of which nothing is compared or printed; `nil` in what was read from a record.
struct SentRequest: Sendable, Hashable {
  var request: HTTPRequest?

  static func == (a: SentRequest, b: SentRequest) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension AttemptReport.Redirect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Such as `302 Found from https://a.example/1 to GET https://a.example/2`; secrets hidden by
  /// ``Redaction/standard``, and the values of its dispatch's secrets.
  public var description: String {
    let redaction = link.redaction
    return "\(status) from \(redaction.url(from)) to \(method) \(redaction.url(to))".printed
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
