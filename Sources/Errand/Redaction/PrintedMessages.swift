import ErrandJSON
import Foundation

// The wire values know nothing of redaction: what is printed of them stands here.

extension HTTPHeaders: PrintedByDescription {
  /// One `Name: value` a line, secrets hidden by ``Redaction/standard``.
  public var description: String {
    let lines = Redaction.standard.headers(self).fields.map(\.line)
    return lines.joined(separator: "\n").printed
  }
}

extension HTTPHeaders.Field: PrintedByDescription {
  /// `Name: value`, a secret hidden by ``Redaction/standard``.
  public var description: String { HTTPHeaders([self]).description }

  /// `Name: value`, as the field is.
  fileprivate var line: String { "\(name): \(value)" }
}

extension HTTPRequest: PrintedByDescription {
  /// The method and the URL on the first line, then the headers; secrets hidden by ``Redaction/standard``, and the values
  /// of its own and of its dispatch's secrets.
  public var description: String {
    let redaction = redaction
    let line = "\(method) \(redaction.url(url))".printed
    return headers.fields.isEmpty ? line : "\(line)\n\(redaction.headers(headers))"
  }
  /// As it goes over the wire, for a person: the first line, the headers, and after an empty line each the body and the trailers.
  ///
  /// Up to 16,384 characters of the body are shown; of a form of parts there is a line for each. Secrets are hidden as in ``description``.
  public var debugDescription: String {
    guard !trailers.isEmpty else { return lines }
    return "\(lines)\n\n\(trailers.text(by: redaction))".printed
  }

  /// The first line, the headers and the body.
  private var lines: String {
    guard !body.isEmpty else { return description }
    let redaction = redaction
    let text =
      body.data.map {
        redaction.excerpt(of: $0, type: headers["Content-Type"], length: Redaction.longExcerpt)
      } ?? body.provider?.formParts.map { $0.map { redaction.line(of: $0) }.joined(separator: "\n") }
      ?? "(\(redaction.text("\(body)")))"
    return "\(description)\n\n\(text.printed)"
  }

  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    let redaction = redaction
    return Mirror(
      self,
      children: [
        "method": method.token, "url": redaction.url(url), "headers": redaction.headers(headers),
        "body": body.description, "trailers": trailers.text(by: redaction).printed,
      ])
  }

  private var redaction: Redaction { link.redaction.hidingCredentials(of: self) }
}

extension RequestTrailers: PrintedByDescription {
  /// Each `Name: value`, secrets hidden by ``Redaction/standard``, or that they are computed, with the names that are announced.
  public var description: String { text(by: .standard).printed }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, children: ["trailers": description]) }

  /// The same on one line, secrets hidden by `redaction`.
  func text(by redaction: Redaction) -> String {
    if isEmpty { return "none" }
    guard isComputed else {
      return redaction.headers(fields).fields.map(\.line).joined(separator: "; ")
    }
    return names.isEmpty
      ? "computed after the body" : "computed after the body: \(names.joined(separator: ", "))"
  }

  /// The same as fields, of which those that are computed have no value yet; `nil` for none.
  package func shown(by redaction: Redaction) -> HTTPHeaders? {
    guard isComputed else { return isEmpty ? nil : redaction.headers(fields) }
    let names = names.isEmpty ? ["…"] : names
    return HTTPHeaders(names.map { HTTPHeaders.Field(name: $0, value: "(computed after the body)") })
  }
}

extension Redaction {
  /// A part of a form: its name and its value, or what the value is.
  fileprivate func line(of part: BodyPart) -> String {
    let name = part.name ?? "(no name)"
    let isHidden = hides(name, in: .field)
    guard part.filename == nil, let data = part.body.data else {
      let body = text(part.body.description)
      guard let file = part.filename else { return "\(text(name)): \(body)" }
      return "\(text(name)): \(text(file)), \(body)"
    }
    let value =
      isHidden
      ? Redaction.marker
      : excerpt(of: data, type: part.contentType, length: Redaction.shortExcerpt, isOneLine: true)
    return "\(text(name)): \(value)"
  }
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
  /// As it came, for a person: the status, the headers, and after an empty line the body.
  ///
  /// Up to 16,384 characters of the body are shown. Secrets are hidden as in ``description``.
  public var debugDescription: String {
    guard !body.isEmpty else { return description }
    let redaction = link.redaction
    var lines = [status.description]
    if !headers.fields.isEmpty { lines.append(redaction.headers(headers).description) }
    lines += ["", redaction.excerpt(of: body, type: headers["Content-Type"], length: Redaction.longExcerpt)]
    return lines.joined(separator: "\n").printed
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

extension HTTPResponse.Challenge: PrintedByDescription {
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
