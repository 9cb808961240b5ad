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

  /// What a report of the request is printed by: the agent's redaction with what dispatch and request hide; the standard for
  /// a report that was read.
  func redaction(reporting request: HTTPRequest?) -> Redaction {
    let redaction = dispatched?.redaction ?? .standard
    return request.map(redaction.hidingCredentials) ?? redaction
  }

  static func == (a: DispatchLink, b: DispatchLink) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
