extension RequestAgent {
  /// The pages of a request, each fetched when it is asked for.
  ///
  /// ```swift
  /// for try await users in agent.pages(of: ListUsers()) { print(users.count) }
  /// ```
  ///
  /// The loop throws ``RequestError``, of kind ``RequestError/Kind/pagination`` where a page may not be fetched, and
  /// `CancellationError` when its task was cancelled.
  public func pages<R: PaginatedRequest>(of request: R) -> Pages<R> {
    Pages(agent: self, request: request) { $0.pagination }
  }

  /// The pages of a request that says nothing of pages itself: `agent.pages(of: .get("users", as: [User].self), by: .link)`.
  public func pages<R: Request>(of request: R, by pagination: Pagination<R.Response>) -> Pages<R> {
    Pages(agent: self, request: request) { _ in pagination }
  }

  /// The items of all pages, in one sequence: `agent.items(of: ListUsers(), \.users)`.
  ///
  /// `items` is called once a page, off the main actor.
  public func items<R: PaginatedRequest, Items: Sequence>(
    of request: R, _ items: @escaping @Sendable (R.Response) -> Items
  ) -> PageItems<R, Items> {
    pages(of: request).items(items)
  }

  /// The items of all pages, where a page is a sequence of them.
  public func items<R: PaginatedRequest>(of request: R) -> PageItems<R, R.Response>
  where R.Response: Sequence {
    items(of: request) { $0 }
  }
}
