/// Where the next page is.
public enum NextPage: Sendable, Hashable {
  /// At a URL, absolute or relative to the one that answered.
  ///
  /// It replaces base, path and query of the request, and a query made of its parameters. What else the request has, such
  /// as its method and headers, stays.
  case url(String)
  /// At the same place, with these instead of the request's own values of the same names: in
  /// ``Request/parameters`` where they have the name, else in ``Request/query``. A query written into
  /// ``Request/path`` is not looked at.
  case query(Parameters)
}

extension NextPage {
  /// The request of the page, which hides what the first one hides, as servers write into their links what they were sent.
  func request<R: Request>(_ base: R) -> OverriddenRequest<R> {
    let page =
      switch self {
      case .url(let url): request(base, at: url)
      case .query(let changes): request(base, changed: changes)
      }
    let secrets = SecretFinder.secrets(of: base)
    return secrets.isEmpty ? page : page.with(\.secrets, secrets)
  }

  private func request<R: Request>(_ base: R, at url: String) -> OverriddenRequest<R> {
    let page = base.with(\.path, url).with(\.query, [:])
    let parametersAreQuery = base.method.putsParametersInQuery || !base.body.isAutomatic
    return parametersAreQuery ? page.with(\.parameters, [:]) : page
  }

  private func request<R: Request>(_ base: R, changed changes: Parameters) -> OverriddenRequest<R> {
    var (parameters, query) = (base.parameters, base.query)
    for entry in changes.entries {
      if parameters.node(for: entry.key) != nil {
        parameters[entry.key] = entry.value
      } else {
        query[entry.key] = entry.value
      }
    }
    return OverriddenRequest(base: base, overrides: RequestOverrides())
      .with(\.parameters, parameters).with(\.query, query)
  }
}
