/// Follows who set each header field of a request while it is made.
struct HeaderSources {
  typealias Source = RequestExplanation.Source

  private var fields: [HTTPHeaders.Field] = []
  private(set) var sources: [Source] = []

  /// The fields of the request as it was built.
  ///
  /// - Parameters:
  ///   - own: the request's headers, without what the call changed.
  ///   - overriding: those of the call.
  ///   - agent: the agent's.
  init(_ headers: HTTPHeaders, own: HTTPHeaders, overriding: HTTPHeaders, agent: HTTPHeaders) {
    fields = headers.fields
    sources = fields.map { field in
      if overriding.contains(field.name) { return .call }
      if own.contains(field.name) { return .request }
      return agent.contains(field.name) ? .agent : .standard
    }
  }

  /// Notes what a hook has made of the headers: fields that were not there in this form are its own.
  mutating func note(_ headers: HTTPHeaders, by hook: String) { note(headers, by: .hook(hook)) }

  /// The same of whoever it was.
  mutating func note(_ headers: HTTPHeaders, by source: Source) {
    var known = zip(fields, sources).map { ($0, $1) }
    sources = headers.fields.map { field in
      guard let index = known.firstIndex(where: { $0.0.isSame(as: field) }) else { return source }
      return known.remove(at: index).1
    }
    fields = headers.fields
  }

  /// Notes the last step, after the hooks, whose additions are defaults.
  mutating func finish(_ headers: HTTPHeaders) {
    note(headers, by: "")
    sources = sources.map { $0 == .hook("") ? .standard : $0 }
  }
}

extension HTTPHeaders.Field {
  func isSame(as other: HTTPHeaders.Field) -> Bool {
    HTTPHeaders.same(name, other.name) && value == other.value
  }
}
