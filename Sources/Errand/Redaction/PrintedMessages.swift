import ErrandJSON
import Foundation

extension HTTPHeaders: PrintedByDescription {
  /// The fields, each as a line `Name: value`, with secrets hidden by ``Redaction/standard``.
  public var description: String {
    let lines = Redaction.standard.headers(self).fields.map(\.line)
    return lines.joined(separator: "\n").printed
  }
}

extension HTTPHeaders.Field: PrintedByDescription {
  /// The text `Name: value`, with a secret hidden by ``Redaction/standard``.
  public var description: String { HTTPHeaders([self]).description }

  fileprivate var line: String { "\(name): \(value)" }
}

extension HTTPRequest: PrintedByDescription {
  /// The method, the URL and the headers, with secrets hidden.
  public var description: String {
    let redaction = redaction
    let line = "\(method) \(redaction.url(url))".printed
    return headers.fields.isEmpty ? line : "\(line)\n\(redaction.headers(headers))"
  }
  /// The method, the URL, the headers, the body or a summary, and the trailers, with secrets hidden.
  ///
  /// At most 16,384 characters of a data or text body are shown.
  public var debugDescription: String {
    guard !trailers.isEmpty else { return lines }
    return "\(lines)\n\n\(trailers.text(by: redaction))".printed
  }

  private var lines: String {
    guard !body.isEmpty else { return description }
    let redaction = redaction
    let text =
      body.data.map {
        redaction.excerpt(of: $0, type: headers["Content-Type"], length: Redaction.longExcerpt)
      } ?? body.provider?.formParts.map { $0.map { $0.line(hiding: redaction) }.joined(separator: "\n") }
      ?? "(\(redaction.text("\(body)")))"
    return "\(description)\n\n\(text.printed)"
  }

  /// A redacted mirror.
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
  /// The fields as `Name: value`, with secrets hidden by ``Redaction/standard``.
  ///
  /// For computed trailers, the description lists the announced names.
  public var description: String { text(by: .standard).printed }
  /// A redacted mirror.
  public var customMirror: Mirror { Mirror(self, children: ["trailers": description]) }

  func text(by redaction: Redaction) -> String {
    if isEmpty { return "none" }
    guard isComputed else {
      return redaction.headers(fields).fields.map(\.line).joined(separator: "; ")
    }
    return names.isEmpty
      ? "computed after the body" : "computed after the body: \(names.joined(separator: ", "))"
  }

  package func shown(by redaction: Redaction) -> HTTPHeaders? {
    guard isComputed else { return isEmpty ? nil : redaction.headers(fields) }
    let names = names.isEmpty ? ["…"] : names
    return HTTPHeaders(names.map { HTTPHeaders.Field(name: $0, value: "(computed after the body)") })
  }
}

extension BodyPart {
  fileprivate func line(hiding redaction: Redaction) -> String {
    let name = name ?? "(no name)"
    guard filename == nil, let data = body.data else {
      let body = redaction.text(body.description)
      guard let filename else { return "\(redaction.text(name)): \(body)" }
      return "\(redaction.text(name)): \(redaction.text(filename)), \(body)"
    }
    let value =
      redaction.hides(name, in: .field)
      ? Redaction.marker
      : redaction.excerpt(of: data, type: contentType, length: Redaction.shortExcerpt, isOneLine: true)
    return "\(redaction.text(name)): \(value)"
  }
}

extension HTTPResponse: PrintedByDescription {
  /// The status, the headers and the length of the body in bytes, with secrets hidden.
  public var description: String {
    var lines = [status.description]
    if !headers.fields.isEmpty { lines.append(link.redaction.headers(headers).description) }
    lines.append("(\(body.count) bytes)")
    return lines.joined(separator: "\n")
  }
  /// The status, the headers and the body, with secrets hidden.
  ///
  /// The text has up to 16,384 characters of a text body, or the byte count of another body.
  public var debugDescription: String {
    guard !body.isEmpty else { return description }
    let redaction = link.redaction
    var lines = [status.description]
    if !headers.fields.isEmpty { lines.append(redaction.headers(headers).description) }
    lines += ["", redaction.excerpt(of: body, type: headers["Content-Type"], length: Redaction.longExcerpt)]
    return lines.joined(separator: "\n").printed
  }
  /// A redacted mirror.
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

extension TransportSummary.Metrics: CustomReflectable {
  /// A mirror for `print` and `dump`; secrets in the proxy's URL are hidden.
  public var customMirror: Mirror {
    let children: KeyValuePairs<String, Any> = [
      "nameLookup": nameLookup, "connect": connect, "secureConnect": secureConnect, "firstByte": firstByte,
      "total": total, "bytesSent": bytesSent, "bytesReceived": bytesReceived,
      "isConnectionReused": isConnectionReused, "resends": resends, "httpVersion": httpVersion as Any,
      "remoteAddress": remoteAddress as Any, "tls": tls as Any,
      "proxy": proxy.map { Redaction.standard.text($0).printed } as Any,
      "proxyResponse": proxyResponse as Any,
    ]
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension HTTPResponse.Challenge: PrintedByDescription {
  /// The scheme and the realm, such as `Basic, realm "shop"`, with secrets hidden.
  ///
  /// At most 200 characters of the realm are shown.
  public var description: String {
    let realm = realm.map { ", realm \($0.prefix(200).debugDescription)" } ?? ""
    return link.redaction.text("\(scheme)\(realm)").onOneLine.printed
  }
}

extension JSONValue: JSONValuePrinting {
  package var printedText: String {
    guard let text = try? text() else { return "\(kind), nested deeper than \(JSONDepth.limit) levels" }
    return Redaction.standard.body(Data(text.utf8), contentType: "application/json")
  }
}
