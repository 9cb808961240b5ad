/// The dispatch with the secrets to hide.
///
/// References are equal, so comparisons ignore the dispatch.
struct RedactionSource: Sendable, Hashable {
  /// Message types do not know the dispatch.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
