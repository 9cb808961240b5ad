extension OneOffRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the path; secrets hidden by ``Redaction/standard``.
  public var description: String { "\(method) \(Redaction.standard.url(text: path))" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "request": description, "headers": headers, "parameters": parameters, "query": query, "body": body,
      ])
  }
}
