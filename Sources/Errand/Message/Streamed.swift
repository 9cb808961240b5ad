/// A sequence of elements fetched on demand, such as lines or events of a body, or items of pages.
///
/// ```swift
/// for try await line in try await agent.stream(.get("log")).lines { print(line) }
/// ```
///
/// A running transfer ends when the iterator is released, for example after a `break`, or when the reading
/// task is cancelled. The loop usually throws ``RequestError``, or `CancellationError` if the task was
/// cancelled.
///
/// An iterator belongs to a single task at a time. The sequences of a ``StreamedResponse`` allow a single
/// iterator, because the body is read once.
public struct Streamed<Element: Sendable>: AsyncSequence, Sendable {
  let source: @Sendable () -> any ElementSource<Element>

  init(_ source: @escaping @Sendable () -> any ElementSource<Element>) { self.source = source }

  /// Creates an iterator; reading starts with the first call of `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(source())) }

  /// An iterator over the elements; copies share their position.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: Reader

    /// Returns the next element; `nil` at the end, and after an error.
    public mutating func next() async throws -> Element? { try await reader.next() }
  }

  /// The shared state of the iterator's copies.
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

/// The source of the elements of a ``Streamed``; a released source ends its transfer.
protocol ElementSource<Element>: AnyObject {
  associatedtype Element: Sendable

  /// Returns the next element; not called again after `nil` or an error.
  func next() async throws -> Element?
}

extension Streamed: PrintedByDescription {
  /// The element type, such as `stream of String`; never an element.
  public var description: String { "stream of \(Element.self)" }
  /// A mirror without children, so `dump` shows no elements.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Streamed.Iterator: PrintedByDescription {
  /// The element type, such as `stream of String`; never an element.
  public var description: String { "stream of \(Element.self)" }
  /// A mirror without children, so `dump` shows no elements.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
