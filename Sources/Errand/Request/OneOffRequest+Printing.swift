extension OneOffRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the path; secrets hidden by ``Redaction/standard``, and each ``Secret`` in its parts.
  public var description: String { "\(method) \(redaction.url(text: path))".printed }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": description, "headers": redaction.headers(headers), "parameters": parameters,
        "query": query, "body": body,
      ])
  }

  private var redaction: Redaction { .standard.hidingSecrets(of: self) }
}
