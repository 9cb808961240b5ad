extension RequestAgent: CustomStringConvertible, CustomReflectable {
  /// The base; secrets hidden by the agent's ``Redaction``.
  public var description: String {
    "RequestAgent(\(base.map { tools.redaction.url(text: $0) } ?? "no base URL"))".printed
  }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}

extension RequestAgent.Configuration: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The CDN URL and the headers; secrets hidden by its own ``Redaction``.
  public var description: String {
    let fields = redaction.headers(headers).fields.map { "\($0.name): \($0.value)" }
    return ([cdnURL.map(redaction.url) ?? "no CDN URL"] + fields).joined(separator: "\n").printed
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: description.split(separator: "\n")) }
}
