import Foundation

extension RequestExplanation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The request, who set what, the command line of `curl`, and what is not used; secrets hidden.
  public var description: String {
    let fields = redaction.headers(request.headers).fields.map { "  \($0.name): \($0.value)" }
    let values = settings.map { "\($0.name): \($0.value)" }
    let body = request.body.isEmpty ? RequestBody.none : request.body
    let lines =
      ["\(request.method) \(redaction.url(request.url))"] + Self.annotated(fields, headerSources)
      + ["body: \(body)"] + Self.annotated(values, settings.map(\.source)) + [curlCommand]
      + unusedProperties.map { "not used: \($0)" }
    return lines.joined(separator: "\n").printed
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }

  /// The lines with their sources in one column, which a long line does not move.
  private static func annotated(_ lines: [String], _ sources: [Source]) -> [String] {
    let width = lines.map(\.count).filter { $0 <= 60 }.max() ?? 0
    return zip(lines, sources).map { line, source in
      line + String(repeating: " ", count: max(0, width - line.count)) + "  (\(source))"
    }
  }
}

extension RequestExplanation.Source: CustomStringConvertible {
  /// `default`, `agent`, `request`, `call`, or `hook` or `authenticator` and its name.
  public var description: String {
    switch self {
    case .standard: "default"
    case .agent: "agent"
    case .request: "request"
    case .call: "call"
    case .hook(let name): "hook \(name)"
    case .authenticator(let name): "authenticator \(name)"
    }
  }
}
