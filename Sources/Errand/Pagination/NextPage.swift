import Foundation

/// The next page: a URL, or changed values of the request.
public enum NextPage: Sendable, Hashable {
  /// A URL that replaces the base URL, the path, the query, and parameters sent in the query.
  case url(String)
  /// The original request with changed values.
  ///
  /// A value replaces the request's parameter of the same name. Without such a parameter, the value is set in
  /// the query.
  case query(Parameters)

  /// Returns the request for the page.
  ///
  /// The returned request also hides the secrets of `base`, because a server may repeat sent values in links.
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
  /// The redacted URL, or the names of the changed values.
  public var description: String {
    switch self {
    case .url(let url): Redaction.standard.text(URL(string: url).map(Redaction.standard.url) ?? url).printed
    case .query(let changes): changes.keys.joined(separator: ", ").printed
    }
  }
}

extension Pages: PrintedByDescription {
  /// The type of the request.
  public var description: String { "pages of \(R.self)" }
}

/// A request for a page of a longer list.
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
/// For other requests, use ``RequestAgent/pages(of:by:)``.
public protocol PaginatedRequest<Response>: Request {
  /// The rule for finding the next page.
  var pagination: Pagination<Response> { get }
}

extension OverriddenRequest: PaginatedRequest where Base: PaginatedRequest {
  /// The pagination of the base request.
  public var pagination: Pagination<Base.Response> { base.pagination }
}
