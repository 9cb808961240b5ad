/// A reference to an object that knows the secrets to hide, usually a dispatch.
///
/// All sources compare as equal, so that comparisons of messages ignore the secrets.
struct RedactionSource: Sendable, Hashable {
  /// Type-erased, because message types do not know dispatches.
  var dispatched: (any AnyObject & Sendable)?

  static func == (a: RedactionSource, b: RedactionSource) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
