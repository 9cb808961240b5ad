public import Foundation

/// The rule for finding the next page.
///
/// ```swift
/// var pagination: Pagination<[User]> { .link }
/// var pagination: Pagination<UserPage> { .cursor("after", \.nextCursor) }
/// var pagination: Pagination<UserPage> { .offset(size: 50, count: \.users.count, total: \.total) }
/// var pagination: Pagination<[User]> { .pageNumber(size: 50).limited(to: 20) }
/// ```
///
/// If the next page was already fetched, the iteration fails with an error of kind
/// ``RequestError/Kind/pagination``. For URLs of other origins, see ``following(_:)``.
public struct Pagination<Page: Sendable>: Sendable {
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

  /// Creates a pagination with a custom rule.
  ///
  /// - Parameters:
  ///   - first: The parameters of the first page.
  ///   - next: Returns the next page; `nil` for the last page. Called off the main actor.
  public init(
    first: Parameters = [:], next: @escaping @Sendable (Received<Page>) throws -> NextPage?
  ) {
    self.init(first: first) { page, _ in try next(page) }
  }

  /// Returns the pagination with a maximum number of pages.
  public func limited(to pages: Int) -> Pagination {
    var copy = self
    copy.limit = max(pages, 0)
    return copy
  }

  /// Returns the pagination that also follows the URLs of other origins that `allows` accepts.
  ///
  /// The request's headers and body are sent to the other origin, so allow only trusted hosts.
  public func following(_ allows: @escaping @Sendable (URL) -> Bool) -> Pagination {
    var copy = self
    copy.allows = allows
    return copy
  }

  /// Follows the `Link` header (RFC 8288) with the relation `next`.
  public static var link: Pagination { .link(rel: "next") }

  /// Follows the `Link` header (RFC 8288) with a relation.
  public static func link(rel: String) -> Pagination {
    Pagination(first: [:]) { page, _ in
      guard let url = page.responseURL else { return nil }
      return LinkHeader(page.response.headers).target(of: rel, from: url).map { .url($0) }
    }
  }

  /// Follows the URL found in each page; `nil` or an empty text ends the sequence.
  public static func nextURL(_ next: @escaping @Sendable (Page) -> String?) -> Pagination {
    Pagination(first: [:]) { page, _ in
      next(page.value).flatMap { $0.isEmpty ? nil : .url($0) }
    }
  }

  /// Sends the cursor of a page as a parameter of the next request.
  ///
  /// A cursor of `nil`, null or an empty text ends the sequence.
  public static func cursor<Cursor: ParameterValue>(
    _ name: String, _ next: @escaping @Sendable (Page) -> Cursor?
  ) -> Pagination {
    Pagination(first: [:]) { page, _ in
      guard let cursor = next(page.value)?.parameterNode, ![.string(""), .null].contains(cursor) else {
        return nil
      }
      return .query([name: cursor])
    }
  }

  /// Requests each page by its offset: the number of items before the page.
  ///
  /// The sequence ends at an empty page, or after `total` items. If `total` returns `nil`, a page of fewer
  /// than `size` items also ends the sequence. Use `total` if a server may send a shorter page before the
  /// last page.
  public static func offset(
    _ name: String = "offset", limit: String = "limit", size: Int, count: @escaping @Sendable (Page) -> Int,
    total: @escaping @Sendable (Page) -> Int? = { _ in nil }
  ) -> Pagination {
    Pagination(first: [name: 0, limit: size]) { page, position in
      let found = count(page.value)
      let (items, overflows) = position.items.addingReportingOverflow(found)
      guard found > 0, !overflows else { return nil }
      position.items = items
      let isLast = total(page.value).map { items >= $0 } ?? (found < size)
      return isLast ? nil : .query([name: items, limit: size])
    }
  }

  /// Requests each page by its number.
  ///
  /// The sequence ends at an empty page, or after `pageCount` pages. If `pageCount` returns `nil`, a page of
  /// fewer than `size` items also ends the sequence.
  public static func pageNumber(
    _ name: String = "page", from first: Int = 1, size: Int? = nil, sizeName: String = "per_page",
    count: @escaping @Sendable (Page) -> Int, pageCount: @escaping @Sendable (Page) -> Int? = { _ in nil }
  ) -> Pagination {
    Pagination(first: [name: first, sizeName: size]) { page, position in
      let found = count(page.value)
      let (number, overflows) = first.addingReportingOverflow(position.index + 1)
      guard found > 0, !overflows else { return nil }
      let isLast = pageCount(page.value).map { position.index + 1 >= $0 } ?? size.map { found < $0 } ?? false
      return isLast ? nil : .query([name: number, sizeName: size])
    }
  }
}

struct PagePosition: Sendable {
  var index = 0
  /// The number of items before the next page, as counted by `offset`.
  var items = 0
}

extension Pagination where Page: Collection {
  /// Requests each page by its offset, counting the page's elements.
  public static func offset(_ name: String = "offset", limit: String = "limit", size: Int) -> Pagination {
    offset(name, limit: limit, size: size, count: \.count)
  }

  /// Requests each page by its number, counting the page's elements.
  public static func pageNumber(
    _ name: String = "page", from first: Int = 1, size: Int? = nil, sizeName: String = "per_page"
  ) -> Pagination {
    pageNumber(name, from: first, size: size, sizeName: sizeName, count: \.count)
  }
}
