public import Foundation

extension RequestError: CustomStringConvertible, CustomDebugStringConvertible {
  /// What happened, to what, and what to try, in up to five lines; secrets are hidden.
  ///
  /// ```
  /// GET https://api.example.com/users/7 failed: status 503 Service Unavailable is not in 200..<300.
  /// Stage validate, attempt 3, after 4.210 s.
  /// Response: 503 Service Unavailable, text/plain, 21 bytes: "try again in a minute"
  /// Try: The server is overloaded or failing. A retryPolicy such as .upTo(2) tries again.
  /// ```
  public var description: String {
    var lines = ["\(subject) failed: \(redaction.text(reason))."]
    lines.append("Stage \(stage)\(attempts > 0 ? ", attempt \(attempts)" : ""), after \(elapsed.seconds).")
    if let response { lines.append("Response: \(summary(of: response))") }
    if let hint { lines.append("Try: \(hint)") }
    return lines.joined(separator: "\n")
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  private var subject: String {
    request.map { "\($0.method) \(redaction.url($0.url))" } ?? "The request"
  }

  private func summary(of response: HTTPResponse) -> String {
    let type = response.headers["Content-Type"]
    var parts = [response.status.description]
    if let type { parts.append(type) }
    guard !response.body.isEmpty else { return (parts + ["no body"]).joined(separator: ", ") }
    parts.append("\(response.body.count) bytes")
    let text = redaction.body(response.body, contentType: type)
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

extension Duration {
  /// Seconds with three digits: `1.204 s`.
  var seconds: String {
    let milliseconds = max(0, (self / .milliseconds(1)).rounded())
    guard milliseconds < 1e15 else { return "\(milliseconds / 1000) s" }
    let whole = Int(milliseconds)
    let fraction = String(whole % 1000)
    return "\(whole / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
  }
}
