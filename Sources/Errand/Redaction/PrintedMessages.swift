import ErrandJSON
import Foundation

// The wire values know nothing of redaction: what is printed of them stands here.

extension HTTPHeaders: PrintedByDescription {
  /// One `Name: value` a line, secrets hidden by ``Redaction/standard``.
  public var description: String {
    Redaction.standard.headers(self).fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n").printed
  }
}

extension HTTPHeaders.Field: PrintedByDescription {
  /// `Name: value`, a secret hidden by ``Redaction/standard``.
  public var description: String { HTTPHeaders([self]).description }
}

extension HTTPRequest: PrintedByDescription {
  /// The method and the URL on the first line, then the headers; secrets hidden by ``Redaction/standard``, and the values
  /// of its own and of its dispatch's secrets.
  public var description: String {
    let redaction = redaction
    let line = "\(method) \(redaction.url(url))".printed
    return headers.fields.isEmpty ? line : "\(line)\n\(redaction.headers(headers))"
  }
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

extension HTTPResponse: PrintedByDescription {
  /// The status on the first line, then the headers and the length of the body; secrets hidden by
  /// ``Redaction/standard``, and the values of its dispatch's secrets.
  public var description: String {
    var lines = [status.description]
    if !headers.fields.isEmpty { lines.append(link.redaction.headers(headers).description) }
    lines.append("(\(body.count) bytes)")
    return lines.joined(separator: "\n")
  }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    let redaction = link.redaction
    return Mirror(
      self,
      children: [
        "status": status, "headers": redaction.headers(headers), "body": "\(body.count) bytes",
        "url": url.map(redaction.url) ?? "none",
      ])
  }
}

extension AuthenticationChallenge: PrintedByDescription {
  /// The scheme and the realm, such as `Basic, realm "shop"`; secrets of the dispatch hidden, and what else is said left out.
  public var description: String {
    let realm = realm.map { ", realm \($0.prefix(200).debugDescription)" } ?? ""
    return link.redaction.text("\(scheme)\(realm)").onOneLine.printed
  }
}

extension JSONValue: PrintedByDescription {
  /// The JSON with secrets hidden by ``Redaction/standard``; ``text()`` has them.
  public var description: String {
    guard let text = try? text() else { return "\(kind), nested deeper than \(JSONDepth.limit) levels" }
    return Redaction.standard.body(Data(text.utf8), contentType: "application/json")
  }
}
