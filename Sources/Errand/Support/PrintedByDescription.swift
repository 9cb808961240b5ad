/// A type printed by its redacted description.
package protocol PrintedByDescription: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension PrintedByDescription {
  /// The same as the description.
  public var debugDescription: String { description }

  /// The lines of the description, for `dump`.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
