import Errand

extension ReceivedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the target on the first line, then the headers and the length of the body; secrets hidden by
  /// ``/Errand/Redaction/standard``, as what a test prints ends in the logs of a build machine.
  public var description: String {
    let fields = headers.fields.map(\.description)
    return (["\(method) \(Redaction.standard.target(target))"] + fields + ["(\(body.count) bytes)"])
      .joined(separator: "\n").printed
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: description.split(separator: "\n")) }
}
