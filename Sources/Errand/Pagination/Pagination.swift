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
/// A page that was already fetched is an error of kind ``RequestError/Kind/pagination``. A URL with an origin
/// different from the first page's is such an error too, unless ``following(_:)`` allows the URL.
public struct Pagination<Page: Sendable>: Sendable {
  /// The parameters of the first page.
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
  ///   - first: The parameters of the first page; none by default.
  ///   - next: Returns the page after the received page; `nil` for the last page. Called off the main actor. A
  ///     thrown error is the cause of an error of kind ``RequestError/Kind/pagination``.
  public init(
    first: Parameters = [:], next: @escaping @Sendable (Received<Page>) throws -> NextPage?
  ) {
    self.init(first: first) { page, _ in try next(page) }
  }

  /// Returns the pagination with a maximum number of pages.
  ///
  /// After the last allowed page, the sequence ends without an error.
  public func limited(to pages: Int) -> Pagination {
    var copy = self
    copy.limit = max(pages, 0)
    return copy
  }

  /// Returns the pagination that also follows a URL of another origin if `allows` returns true for the URL.
  ///
  /// The request's own headers and body, and the headers added by hooks, are sent to the other origin. Allow
  /// only trusted hosts, and check the scheme. See also ``AgentConfiguration/trustedOrigins``.
  public func following(_ allows: @escaping @Sendable (URL) -> Bool) -> Pagination {
    var copy = self
    copy.allows = allows
    return copy
  }

  /// Follows the `Link` header (RFC 8288) with the relation `next`.
  ///
  /// A page without such a link is the last page.
  public static var link: Pagination { .link(rel: "next") }

  /// Follows the `Link` header (RFC 8288) with a relation.
  ///
  /// A page without such a link is the last page. Of several such links, the first is used.
  public static func link(rel: String) -> Pagination {
    Pagination(first: [:]) { page, _ in
      guard let url = page.responseURL else { return nil }
      return LinkHeader(page.response.headers).target(of: rel, from: url).map { .url($0) }
    }
  }

  /// Follows a URL in each page, absolute or relative to the URL of the response.
  ///
  /// `nil` or an empty text ends the sequence.
  public static func nextURL(_ next: @escaping @Sendable (Page) -> String?) -> Pagination {
    Pagination(first: [:]) { page, _ in
      next(page.value).flatMap { $0.isEmpty ? nil : .url($0) }
    }
  }

  /// Sends the cursor of each page as the parameter `name` of the next request.
  ///
  /// `nil`, null or an empty text ends the sequence.
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
  /// The sequence ends at an empty page. If `total` returns a number, the sequence also ends after `total`
  /// items. Otherwise, the sequence also ends at a page with fewer than `size` items. For a server that
  /// returns fewer items than requested, use `total`, or a `size` within the server's limit.
  ///
  /// - Parameters:
  ///   - name: The name of the offset; `offset` by default.
  ///   - limit: The name of the page size; `limit` by default.
  ///   - size: The number of requested items in a page.
  ///   - count: Returns the number of items of a page.
  ///   - total: Returns the number of items of all pages; `nil` if the page has no total.
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
  /// The sequence ends at an empty page. If `pageCount` returns a number, the sequence also ends after
  /// `pageCount` pages. Otherwise, if `size` is set, the sequence also ends at a page with fewer than `size`
  /// items.
  ///
  /// - Parameters:
  ///   - name: The name of the page number; `page` by default.
  ///   - first: The number of the first page; 1 by default.
  ///   - size: The number of requested items in a page; `nil`, the default: not sent.
  ///   - sizeName: The name of the page size; `per_page` by default.
  ///   - count: Returns the number of items of a page.
  ///   - pageCount: Returns the number of pages; `nil` if the page does not contain the number.
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

/// The position of the current page in the sequence of pages.
struct PagePosition: Sendable {
  var index = 0
  /// The number of items in the pages before the current page.
  var items = 0
}

extension Pagination where Page: Collection {
  /// Requests each page by its offset, for pages that are collections.
  ///
  /// See ``offset(_:limit:size:count:total:)``.
  public static func offset(_ name: String = "offset", limit: String = "limit", size: Int) -> Pagination {
    offset(name, limit: limit, size: size, count: \.count)
  }

  /// Requests each page by its number, for pages that are collections.
  ///
  /// See ``pageNumber(_:from:size:sizeName:count:pageCount:)``.
  public static func pageNumber(
    _ name: String = "page", from first: Int = 1, size: Int? = nil, sizeName: String = "per_page"
  ) -> Pagination {
    pageNumber(name, from: first, size: size, sizeName: sizeName, count: \.count)
  }
}
