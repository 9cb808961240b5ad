/// The pages of a request, one after another, each fetched when it is asked for; made by ``RequestAgent/pages(of:)``.
///
/// Each page is a dispatch of its own, with hooks, accessories, retries, limits and all else. Every iterator begins at the first page and knows
/// nothing of others.
public struct Pages<R: Request>: AsyncSequence, Sendable {
  let agent: RequestAgent
  let request: R
  /// Read off the main actor, like all of a request.
  let pagination: @Sendable (R) -> Pagination<R.Response>

  /// Makes an iterator; nothing is sent.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Fetches the pages.
  ///
  /// It may be kept where a loop does not fit, such as in a view model that fetches the next page when the user has scrolled so far, and is
  /// used by one task at a time.
  public final class Iterator: AsyncIteratorProtocol, Sendable {
    private enum State: Sendable {
      case fresh(Pages)
      case resting(PageWalk<R>)
      case fetching
    }

    private let state: Locked<State>
    private let agent: RequestAgent

    init(_ pages: Pages) {
      state = Locked(.fresh(pages))
      agent = pages.agent
    }

    /// Fetches the next page; `nil` at the end, and after an error.
    ///
    /// - Throws: what ``RequestAgent/send(_:)-(R)`` throws; ``RequestError`` of kind ``RequestError/Kind/pagination`` for a page that may not
    ///   be fetched, and for a second call while one runs, which changes nothing for the first.
    public func next() async throws -> R.Response? {
      let found = state.withLock { state in
        defer { state = .fetching }
        return state
      }
      var walk =
        switch found {
        case .fresh(let pages):
          PageWalk(pages.agent, request: pages.request, pagination: pages.pagination(pages.request))
        case .resting(let walk): walk
        case .fetching:
          throw RequestError(
            .pagination, "the next page is being fetched already, by another call of the same iterator",
            stage: .build, redaction: agent.tools.redaction)
        }
      defer { state.withLock { $0 = .resting(walk) } }
      return try await walk.next()
    }
  }

  /// The items of all pages, in one sequence: `agent.pages(of: ListUsers()).items(\.users)`.
  ///
  /// `items` is called once a page, off the main actor.
  public func items<Items: Sequence>(
    _ items: @escaping @Sendable (R.Response) -> Items
  ) -> Streamed<Items.Element> where Items: SendableMetatype, Items.Element: Sendable {
    Streamed { PageItems(self, items: items) }
  }
}

extension Pages where R.Response: Sequence & SendableMetatype, R.Response.Element: Sendable {
  /// The items of all pages, in one sequence, for pages that are sequences themselves.
  ///
  /// ```swift
  /// for try await user in agent.pages(of: .get("users", as: [User].self), by: .link).items { print(user.name) }
  /// ```
  public var items: Streamed<R.Response.Element> { items { $0 } }
}

/// The items of the pages of a request.
///
/// The next page is fetched when the items of the page before are through.
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
  /// The pages of a request, each fetched when it is asked for.
  ///
  /// ```swift
  /// for try await users in agent.pages(of: ListUsers()) { print(users.count) }
  /// ```
  ///
  /// The loop throws ``RequestError``, of kind ``RequestError/Kind/pagination`` where a page may not be fetched, and `CancellationError` when
  /// its task was cancelled.
  public func pages<R: PaginatedRequest>(of request: R) -> Pages<R> {
    Pages(agent: self, request: request) { $0.pagination }
  }

  /// The pages of a request that says nothing of pages itself: `agent.pages(of: .get("users", as: [User].self), by: .link)`.
  public func pages<R: Request>(of request: R, by pagination: Pagination<R.Response>) -> Pages<R> {
    Pages(agent: self, request: request) { _ in pagination }
  }
}
