/// A type with possible secrets, whose `print`, `debugPrint` and `dump` output is the description.
///
/// A type with another `dump` output has its own mirror.
package protocol PrintedByDescription: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension PrintedByDescription {
  /// The same as the description.
  public var debugDescription: String { description }

  /// A mirror with the lines of the description only, for `dump`.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
