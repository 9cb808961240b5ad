/// Elements that are fetched as they are asked for: the lines, values or events of a body, the items of pages, the stored value and the new one.
///
/// ```swift
/// for try await line in try await agent.stream(.get("log")).lines { print(line) }
/// ```
///
/// Nothing is received faster than it is read, and nothing is kept but what the next element needs: a slow loop makes the server
/// wait. A `break`, or dropping the iterator, ends the transfer at once; so does a cancellation of the reading task. Elements are
/// made off the main actor, wherever the loop is.
///
/// The loop throws ``RequestError``, or `CancellationError` when its task was cancelled, and gives nothing from then on. An
/// iterator is for one task at a time. That of a ``StreamedResponse`` can be made once, as its body is read once; each one of
/// ``RequestAgent/serverSentEvents(of:after:idleTimeout:maxFailures:limit:)``, ``Pages/items(_:)`` and
/// ``RequestAgent/values(for:)`` makes requests of its own.
public struct Streamed<Element: Sendable>: AsyncSequence, Sendable {
  let source: @Sendable () -> any ElementSource<Element>

  init(_ source: @escaping @Sendable () -> any ElementSource<Element>) { self.source = source }

  /// Makes an iterator; nothing is read before it is asked.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(source())) }

  /// Gives the elements; copies share their place.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: Reader

    /// The next element; `nil` at the end, and after an error.
    public mutating func next() async throws -> Element? { try await reader.next() }
  }

  /// Lets go of the source with its last element, or its error.
  fileprivate final class Reader {
    private var source: (any ElementSource<Element>)?

    init(_ source: any ElementSource<Element>) { self.source = source }

    func next() async throws -> Element? {
      guard let source else { return nil }
      do {
        if let element = try await source.next() { return element }
      } catch {
        self.source = nil
        throw error
      }
      self.source = nil
      return nil
    }
  }
}

/// Where the elements of a ``Streamed`` come from; ends what it reads when it is released.
protocol ElementSource<Element>: AnyObject {
  associatedtype Element: Sendable

  /// The next element; not called again after `nil` or an error.
  func next() async throws -> Element?
}

extension Streamed: PrintedByDescription {
  /// `stream of String`; never an element.
  public var description: String { "stream of \(Element.self)" }
  /// Shows `dump` no elements.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Streamed.Iterator: PrintedByDescription {
  /// `stream of String`; never an element.
  public var description: String { "stream of \(Element.self)" }
  /// Shows `dump` no elements.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
