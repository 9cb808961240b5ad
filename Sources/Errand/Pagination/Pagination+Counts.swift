extension Pagination {
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
