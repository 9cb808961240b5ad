/// A link from a printed value to its dispatch, for the secrets to hide.
///
/// The link does not take part in comparisons: any two links are equal.
struct RedactionSource: Sendable, Hashable {
  /// The dispatch, as an opaque object because the wire types do not know the type of the dispatch.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
