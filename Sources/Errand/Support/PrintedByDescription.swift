/// A type with possible secrets: `print`, `debugPrint` and `dump` show only the description.
///
/// For a different output of `dump`, define `customMirror` in the type.
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
