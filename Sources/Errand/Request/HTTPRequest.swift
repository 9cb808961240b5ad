public import Foundation

/// A request as it goes to the wire: what hooks may change and transports send.
///
/// Printing it hides secrets; see ``Redaction``.
public struct HTTPRequest: Sendable {
  /// The absolute target, without user info and fragment once it was built.
  public var url: URL
  /// The method; `GET` by default.
  public var method: HTTPMethod
  /// The header fields, without those that frame the message.
  public var headers: HTTPHeaders
  /// The body; none by default.
  public var body: RequestBody
  /// To the dispatch that sends it, once it was built.
  var link = DispatchLink()

  /// Makes a request.
  public init(
    url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }
}

extension HTTPRequest {
  /// How the dispatch that sends it reads and writes JSON; `nil` before it was built.
  package var jsonCoding: JSONCoding? {
    link.dispatched.map { JSONCoding(of: $0.request, agent: $0.tools.jsonCoding) }
  }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL on the first line, then the headers; secrets hidden by ``Redaction/standard``, and the values
  /// of its own and of its dispatch's secrets.
  public var description: String {
    let redaction = redaction
    let line = "\(method) \(redaction.url(url))".printed
    return headers.fields.isEmpty ? line : "\(line)\n\(redaction.headers(headers))"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    let redaction = redaction
    return Mirror(
      self,
      children: [
        "method": method.token, "url": redaction.url(url), "headers": redaction.headers(headers),
        "body": body.description,
      ])
  }

  private var redaction: Redaction { link.redaction.hidingCredentials(of: self) }
}
