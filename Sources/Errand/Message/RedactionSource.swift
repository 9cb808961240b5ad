/// A reference from a request or response to its dispatch, for finding the secrets to hide.
///
/// Any two references are equal, so the comparison of two requests ignores their dispatches.
struct RedactionSource: Sendable, Hashable {
  /// The dispatch, as an opaque object because the wire types do not know the type of the dispatch.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
