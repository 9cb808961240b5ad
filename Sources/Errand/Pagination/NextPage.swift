import Foundation

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

extension NextPage: PrintedByDescription {
  /// The URL, secrets hidden by ``Redaction/standard``, or the names of what changes; control characters written out.
  public var description: String {
    switch self {
    case .url(let url): Redaction.standard.text(URL(string: url).map(Redaction.standard.url) ?? url).printed
    case .query(let changes): changes.keys.joined(separator: ", ").printed
    }
  }
}

extension Pages: PrintedByDescription {
  /// The type of the request; no value of it.
  public var description: String { "pages of \(R.self)" }
}

/// A request whose answer is one page of many.
///
/// ```swift
/// struct ListUsers: PaginatedRequest {
///   typealias Response = [User]
///   let path = "users"
///   var pagination: Pagination<[User]> { .link }
/// }
///
/// for try await users in agent.pages(of: ListUsers()) { print(users.count) }
/// ```
///
/// Sent like any request it gives its first page. A request without this protocol is paged by
/// ``RequestAgent/pages(of:by:)``.
public protocol PaginatedRequest<Response>: Request {
  /// How the next page is found.
  var pagination: Pagination<Response> { get }
}

extension OverriddenRequest: PaginatedRequest where Base: PaginatedRequest {
  /// The base's.
  public var pagination: Pagination<Base.Response> { base.pagination }
}
