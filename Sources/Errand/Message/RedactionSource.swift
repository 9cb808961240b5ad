/// A link from a printed value to its dispatch, for the secrets to redact.
///
/// The link does not affect equality: any two links are equal.
struct RedactionSource: Sendable, Hashable {
  /// The dispatch; wire values have no other reference to the dispatch.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
