/// A link from a request or response to its dispatch, for finding the secrets to hide.
///
/// Any two links are equal, so the link does not affect comparisons.
struct RedactionSource: Sendable, Hashable {
  /// The dispatch, as an opaque object because the wire types do not know the type of the dispatch.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
