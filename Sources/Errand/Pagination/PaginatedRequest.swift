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
