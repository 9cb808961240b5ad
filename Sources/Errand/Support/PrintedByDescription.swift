/// A type with possible secrets: `print`, `debugPrint` and, by default, `dump` show only the description.
///
/// A type may define `customMirror` for a different output of `dump`.
package protocol PrintedByDescription: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension PrintedByDescription {
  /// The description, so that debug output has the same redaction.
  public var debugDescription: String { description }

  /// For `dump`: a mirror with the lines of the description as the only children.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
