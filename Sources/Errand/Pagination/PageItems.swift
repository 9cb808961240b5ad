/// The items of the pages of a request, in one sequence; made by ``RequestAgent/items(of:)`` and its like.
///
/// The next page is fetched when the items of the one before are through.
public struct PageItems<R: Request, Items: Sequence>: AsyncSequence, Sendable {
  let pages: Pages<R>
  let items: @Sendable (R.Response) -> Items

  /// Makes an iterator; nothing is sent.
  public func makeAsyncIterator() -> Iterator {
    Iterator(pages: pages.makeAsyncIterator(), items: items)
  }

  /// Gives the items.
  public struct Iterator: AsyncIteratorProtocol {
    let pages: Pages<R>.Iterator
    let items: @Sendable (R.Response) -> Items
    var current: Items.Iterator?

    /// The next item; `nil` at the end, and after an error.
    ///
    /// - Throws: what the iterator of ``Pages`` throws.
    public mutating func next() async throws -> Items.Element? {
      while true {
        if let item = current?.next() { return item }
        current = nil
        guard let page = try await pages.next() else { return nil }
        current = items(page).makeIterator()
      }
    }
  }
}
