/// What ties a printed value to the dispatch it belongs to, for the secrets that are hidden in it.
///
/// It is no part of the value: any two are equal.
struct DispatchLink: Sendable, Hashable {
  var dispatched: RequestContext.Dispatched?

  /// ``Redaction/standard``, and the values that the dispatch hides.
  var redaction: Redaction {
    guard let values = dispatched?.redaction.values else { return .standard }
    return .standard.hiding(values: values.values)
  }

  static func == (a: DispatchLink, b: DispatchLink) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
