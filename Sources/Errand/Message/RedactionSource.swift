/// What ties a printed value to the dispatch it belongs to, for the secrets that are hidden in it.
///
/// It is no part of the value: any two are equal.
struct RedactionSource: Sendable, Hashable {
  /// The dispatch, of which the wire values know nothing else.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
