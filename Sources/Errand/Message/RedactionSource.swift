/// Refers to the dispatch with the secrets to hide in a printed message or error.
///
/// References are equal, so comparisons ignore the dispatch.
struct RedactionSource: Sendable, Hashable {
  /// The message types do not know the type of the dispatch.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
