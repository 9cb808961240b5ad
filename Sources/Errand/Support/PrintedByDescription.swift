/// A type that shows its description in debug output and in `dump`.
package protocol PrintedByDescription: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension PrintedByDescription {
  /// The same text as `description`.
  public var debugDescription: String { description }

  /// A mirror with the nonempty lines of the description.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: description.split(separator: "\n").map(String.init))
  }
}
