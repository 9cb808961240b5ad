/// A type with possible secrets, printed by its redacted description.
package protocol PrintedByDescription: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension PrintedByDescription {
  /// The description.
  public var debugDescription: String { description }

  /// A mirror for `dump` with the lines of the description as children.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
