public import Foundation

/// How the pages of an answer follow each other: one immutable value.
///
/// ```swift
/// var pagination: Pagination<[User]> { .link }
/// var pagination: Pagination<UserPage> { .cursor("after", \.nextCursor) }
/// var pagination: Pagination<UserPage> { .offset(size: 50, count: \.users.count, total: \.total) }
/// var pagination: Pagination<[User]> { .pageNumber(size: 50).limited(to: 20) }
/// ```
///
/// Three rules hold for all. A page that was there before is an error of kind ``RequestError/Kind/pagination`` where it would
/// be fetched again, as a circle never ends. A URL of another scheme, host or port than the first page's is such an
/// error too, as the request's credentials would go there: see ``following(_:)``. And nothing limits the number of pages unless
/// ``limited(to:)`` does.
public struct Pagination<Page: Sendable>: Sendable {
  /// What the first page is asked with.
  let first: Parameters
  let next: @Sendable (Received<Page>, inout PagePosition) throws -> NextPage?
  private(set) var limit: Int?
  private(set) var allows: @Sendable (URL) -> Bool = { _ in false }

  init(
    first: Parameters, next: @escaping @Sendable (Received<Page>, inout PagePosition) throws -> NextPage?
  ) {
    self.first = first
    self.next = next
  }

  /// Makes a pagination of your own.
  ///
  /// - Parameters:
  ///   - first: what the first page is asked with; nothing by default.
  ///   - next: where the page after this one is; `nil` when this is the last. Called once a page, off the main actor. What
  ///     it throws is the cause of an error of kind ``RequestError/Kind/pagination``.
  public init(
    first: Parameters = [:], next: @escaping @Sendable (Received<Page>) throws -> NextPage?
  ) {
    self.init(first: first) { page, _ in try next(page) }
  }

  /// The same with at most so many pages; the sequence ends behind the last of them, without an error.
  public func limited(to pages: Int) -> Pagination {
    var copy = self
    copy.limit = max(pages, 0)
    return copy
  }

  /// The same, but URLs of other origins are followed where `allows` says so.
  ///
  /// The whole request goes there, credentials and all that hooks add included: name the hosts you trust, and look at the
  /// scheme too. What `allows` refuses is an error of kind ``RequestError/Kind/pagination``.
  public func following(_ allows: @escaping @Sendable (URL) -> Bool) -> Pagination {
    var copy = self
    copy.allows = allows
    return copy
  }
}

/// How far a walk over pages is.
struct PagePosition: Sendable {
  /// The pages fetched before this one.
  var index = 0
  /// The items of the pages before this one.
  var items = 0
}
