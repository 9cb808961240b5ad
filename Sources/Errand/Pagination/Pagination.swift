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

  /// By the `Link` header of each answer (RFC 8288) with the relation `next`; a page without one is the last.
  public static var link: Pagination { .link(rel: "next") }

  /// By the `Link` header of each answer (RFC 8288); a page without a link of that relation is the last.
  ///
  /// Relative targets are resolved against the URL that answered. Links whose `anchor` is another resource are not the
  /// page's, and `rev` is not looked at. Of several links the first counts.
  public static func link(rel: String) -> Pagination {
    Pagination(first: [:]) { page, _ in
      guard let url = page.answeredBy else { return nil }
      return LinkHeader(page.response.headers).target(of: rel, from: url).map { .url($0) }
    }
  }

  /// By a URL in each page, absolute or relative to the one that answered; `nil` or an empty one ends.
  public static func nextURL(_ next: @escaping @Sendable (Page) -> String?) -> Pagination {
    Pagination(first: [:]) { page, _ in
      next(page.value).flatMap { $0.isEmpty ? nil : .url($0) }
    }
  }

  /// By a cursor in each page, which the next one is asked with as `name`; `nil` or empty text ends.
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

  /// By the number of items before the page.
  ///
  /// Ends at the total where a page tells it, else at a page with fewer than `size` items; and always at an empty one. A
  /// server that gives less than it is asked for needs a `total`, or a `size` it keeps to.
  ///
  /// - Parameters:
  ///   - name: what the offset is called; `offset` by default.
  ///   - limit: what the size is called; `limit` by default.
  ///   - size: how many items a page is asked for.
  ///   - count: how many items a page has.
  ///   - total: how many items there are in all; `nil` where the page does not tell.
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

  /// By the number of the page.
  ///
  /// Ends at the last page where a page tells how many there are, else at a page with fewer than `size` items where a size
  /// is asked for; and always at an empty one.
  ///
  /// - Parameters:
  ///   - name: what the number is called; `page` by default.
  ///   - first: the number of the first page; 1 by default.
  ///   - size: how many items a page is asked for; `nil`, the default, does not ask.
  ///   - sizeName: what the size is called; `per_page` by default.
  ///   - count: how many items a page has.
  ///   - pageCount: how many pages there are in all; `nil` where the page does not tell.
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

/// How far a walk over pages is.
struct PagePosition: Sendable {
  /// The pages fetched before this one.
  var index = 0
  /// The items of the pages before this one.
  var items = 0
}

extension Pagination where Page: Collection {
  /// By the number of items before the page, which is a collection of them; see
  /// ``offset(_:limit:size:count:total:)``.
  public static func offset(_ name: String = "offset", limit: String = "limit", size: Int) -> Pagination {
    offset(name, limit: limit, size: size, count: \.count)
  }

  /// By the number of the page, which is a collection of items; see
  /// ``pageNumber(_:from:size:sizeName:count:pageCount:)``.
  public static func pageNumber(
    _ name: String = "page", from first: Int = 1, size: Int? = nil, sizeName: String = "per_page"
  ) -> Pagination {
    pageNumber(name, from: first, size: size, sizeName: sizeName, count: \.count)
  }
}
