/// The dispatch with the secrets to hide.
///
/// All sources are equal, so comparisons of messages ignore the dispatch.
struct RedactionSource: Sendable, Hashable {
  /// Type-erased, because message types do not know dispatches.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
