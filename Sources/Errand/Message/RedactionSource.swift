/// A reference from a message or an error to the object with the secrets to hide.
///
/// The object is usually the dispatch. Any two references are equal, so comparisons of responses ignore the
/// object.
struct RedactionSource: Sendable, Hashable {
  /// Without a concrete type, because the message types do not know the type of the dispatch.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
