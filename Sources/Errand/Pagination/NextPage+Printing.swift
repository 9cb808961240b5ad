import Foundation

extension NextPage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The URL, secrets hidden by ``Redaction/standard``, or the names of what changes; control characters written out.
  public var description: String {
    switch self {
    case .url(let url): Redaction.standard.text(URL(string: url).map(Redaction.standard.url) ?? url).printed
    case .query(let changes): changes.keys.joined(separator: ", ").printed
    }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}

extension Pages: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The type of the request; no value of it.
  public var description: String { "pages of \(R.self)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` the same.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
