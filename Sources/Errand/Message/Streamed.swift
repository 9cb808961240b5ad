/// Elements fetched on demand, such as lines of a body.
///
/// ```swift
/// for try await line in try await agent.stream(.get("log")).lines { print(line) }
/// ```
///
/// A dispatch that still streams is cancelled when the iterator is released, such as after a `break`.
/// Iteration usually throws ``RequestError``, or `CancellationError` if the task was cancelled.
///
/// Create only a single iterator for a sequence of a ``StreamedResponse``.
public struct Streamed<Element: Sendable>: AsyncSequence, Sendable {
  let source: @Sendable () -> any ElementSource<Element>

  init(_ source: @escaping @Sendable () -> any ElementSource<Element>) { self.source = source }

  /// Creates an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(source())) }

  /// An iterator; copies share their position.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: Reader

    /// Returns the next element; `nil` at the end and after an error.
    public mutating func next() async throws -> Element? { try await reader.next() }
  }

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

protocol ElementSource<Element>: AnyObject {
  associatedtype Element: Sendable

  /// Returns the next element; `nil` at the end. Not called again after `nil` or an error.
  func next() async throws -> Element?
}

extension Streamed: PrintedByDescription {
  /// Such as `stream of String`.
  public var description: String { "stream of \(Element.self)" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Streamed.Iterator: PrintedByDescription {
  /// Such as `stream of String`.
  public var description: String { "stream of \(Element.self)" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
