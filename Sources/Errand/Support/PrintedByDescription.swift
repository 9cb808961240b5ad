/// A type that may contain secrets, and prints only its description with `print`, `debugPrint` and `dump`.
///
/// A type with another output of `dump` defines its own mirror.
package protocol PrintedByDescription: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension PrintedByDescription {
  /// The description, so that debug output has the same redaction.
  public var debugDescription: String { description }

  /// For `dump`: a mirror whose only children are the lines of the description.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
