extension Pagination {
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
}
