public import Foundation

extension RequestError: CustomStringConvertible, CustomDebugStringConvertible {
  /// What happened, to what, and what to try, in up to five lines, and one for each item of a list in the ``reason``;
  /// secrets are hidden.
  ///
  /// ```
  /// GET https://api.example.com/users/7 failed: status 503 Service Unavailable is not in 200..<300.
  /// Stage validate, attempt 3, after 4.210 s.
  /// Response: 503 Service Unavailable, text/plain, 21 bytes: "try again in a minute"
  /// Try: 3 attempts were not enough; wait longer between them, or come back later.
  /// ```
  public var description: String {
    let redaction = shownRedaction
    var lines = ["\(clause(by: redaction, keepingLists: true))."]
    lines.append("Stage \(stage)\(attempts > 0 ? ", attempt \(attempts)" : ""), after \(elapsed.seconds).")
    if let group { lines.append("Member: \(group).") }
    if let response { lines.append("Response: \(summary(of: response, by: redaction))") }
    if let hint { lines.append("Try: \(hint)") }
    return lines.joined(separator: "\n").printed
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What happened and to what, on one line without a full stop.
  var clause: String { clause(by: shownRedaction) }

  private func clause(by redaction: Redaction, keepingLists: Bool = false) -> String {
    let subject = request.map { "\($0.method) \(redaction.url($0.url))" } ?? "The request"
    let text = redaction.text(reason)
    return "\(subject) failed: \(keepingLists ? Self.list(text) ?? text.onOneLine : text.onOneLine)"
  }

  /// A reason that ends in a numbered list, such as that of the nearest stubs, each item on a line of its own.
  private static func list(_ text: String) -> String? {
    let lines = text.split(whereSeparator: \.isNewline)
    let items = lines.dropFirst()
    let isList = !items.isEmpty && zip(1..., items).allSatisfy { $1.hasPrefix("\($0). ") }
    return isList ? lines.joined(separator: "\n  ") : nil
  }

  /// Its own, with what its dispatch and its request hide.
  private var shownRedaction: Redaction {
    let redaction = link.dispatched?.redaction ?? redaction
    return request.map(redaction.hidingCredentials) ?? redaction
  }

  private func summary(of response: HTTPResponse, by redaction: Redaction) -> String {
    let type = response.headers["Content-Type"]
    var parts = [response.status.description]
    if let type { parts.append(redaction.text(type)) }
    if let streamedLength { return (parts + ["\(streamedLength) bytes read"]).joined(separator: ", ") }
    guard !response.body.isEmpty else { return (parts + ["no body"]).joined(separator: ", ") }
    parts.append("\(response.body.count) bytes")
    let text = redaction.body(response.body, contentType: type).onOneLine
    let excerpt = text.count > 200 ? "\(text.prefix(200))…" : text
    return "\(parts.joined(separator: ", ")): \"\(excerpt)\""
  }
}

extension RequestError: LocalizedError {
  /// The same as ``description``, also through `localizedDescription`.
  public var errorDescription: String? { description }
}

extension RequestError: CustomReflectable {
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
