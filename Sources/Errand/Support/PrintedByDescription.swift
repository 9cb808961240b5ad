/// A type whose members may hold secrets: all that Swift prints of it, by `print`, `debugPrint` or `dump`, is its description.
///
/// A type that has more to show to `dump`, or less, has a mirror of its own.
package protocol PrintedByDescription: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension PrintedByDescription {
  /// The same as the description.
  public var debugDescription: String { description }

  /// Shows `dump` the lines of the description only.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
