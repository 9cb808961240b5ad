/// The pages of a request, each fetched on demand by a dispatch.
public struct Pages<R: Request>: AsyncSequence, Sendable {
  let agent: RequestAgent
  let request: R
  /// Returns the rule for the next page; called off the main actor.
  let pagination: @Sendable (R) -> Pagination<R.Response>

  /// Creates an iterator; sends nothing.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator over the pages, for one task at a time.
  public final class Iterator: AsyncIteratorProtocol, Sendable {
    private enum State: Sendable {
      case fresh(Pages)
      case idle(PageWalk<R>)
      case fetching
    }

    private let state: Locked<State>
    private let agent: RequestAgent

    init(_ pages: Pages) {
      state = Locked(.fresh(pages))
      agent = pages.agent
    }

    /// Fetches the next page; returns `nil` after the last page, and after a failed fetch.
    ///
    /// - Throws: ``RequestError``; `CancellationError` in a cancelled task.
    public func next() async throws -> R.Response? {
      let found = state.withLock { state in
        defer { state = .fetching }
        return state
      }
      var walk =
        switch found {
        case .fresh(let pages):
          PageWalk(pages.agent, request: pages.request, pagination: pages.pagination(pages.request))
        case .idle(let walk): walk
        case .fetching:
          throw RequestError(
            .pagination, "another call of the same iterator is already fetching the next page",
            stage: .build, redaction: agent.tools.redaction)
        }
      defer { state.withLock { $0 = .idle(walk) } }
      return try await walk.next()
    }
  }

  /// Returns the items of all pages.
  ///
  /// The closure `items` runs off the main actor.
  public func items<Items: Sequence>(
    _ items: @escaping @Sendable (R.Response) -> Items
  ) -> Streamed<Items.Element> where Items: SendableMetatype, Items.Element: Sendable {
    Streamed { PageItems(self, items: items) }
  }
}

extension Pages where R.Response: Sequence & SendableMetatype, R.Response.Element: Sendable {
  /// The items of all pages.
  ///
  /// ```swift
  /// let users = agent.pages(of: .get("users", as: [User].self), by: .link).items
  /// for try await user in users { print(user.name) }
  /// ```
  public var items: Streamed<R.Response.Element> { items { $0 } }
}

private final class PageItems<R: Request, Items: Sequence>: ElementSource where Items.Element: Sendable {
  private let pages: Pages<R>.Iterator
  private let items: @Sendable (R.Response) -> Items
  private var current: Items.Iterator?

  init(_ pages: Pages<R>, items: @escaping @Sendable (R.Response) -> Items) {
    self.pages = pages.makeAsyncIterator()
    self.items = items
  }

  func next() async throws -> Items.Element? {
    while true {
      if let item = current?.next() { return item }
      current = nil
      guard let page = try await pages.next() else { return nil }
      current = items(page).makeIterator()
    }
  }
}

extension RequestAgent {
  /// Returns the pages of a request, each fetched on demand.
  ///
  /// ```swift
  /// for try await users in agent.pages(of: ListUsers()) { print(users.count) }
  /// ```
  ///
  /// The loop throws ``RequestError``; `CancellationError` in a cancelled task.
  public func pages<R: PaginatedRequest>(of request: R) -> Pages<R> {
    Pages(agent: self, request: request) { $0.pagination }
  }

  /// Returns the pages of any request, found by a given rule.
  public func pages<R: Request>(of request: R, by pagination: Pagination<R.Response>) -> Pages<R> {
    Pages(agent: self, request: request) { _ in pagination }
  }
}
