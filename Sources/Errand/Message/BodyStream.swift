public import Foundation

/// A body as a sequence of chunks, for a single consumer.
public struct BodyStream: AsyncSequence, Sendable {
  private enum Storage: Sendable {
    case whole(Whole)
    case source(any BodySource)
    case streamed(StreamedBody)
  }

  private final class Whole: Sendable {
    let data: Data
    let summary: TransportSummary

    init(_ data: Data, summary: TransportSummary) {
      self.data = data
      self.summary = summary
    }
  }

  private let storage: Storage

  /// Creates a stream of bytes in memory.
  public init(_ data: Data, summary: TransportSummary = TransportSummary()) {
    storage = .whole(Whole(data, summary: summary))
  }

  /// Creates a stream that reads a source.
  public init(_ source: any BodySource) { storage = .source(source) }

  init(_ body: StreamedBody) { storage = .streamed(body) }

  /// The trailers and metrics; complete at the end of the body.
  public var summary: TransportSummary {
    switch storage {
    case .whole(let whole): whole.summary
    case .source(let source): source.summary
    case .streamed(let body): body.summary
    }
  }

  // For bytes in memory, `trailers` and `metrics` avoid a copy of the summary.

  var trailers: HTTPHeaders {
    if case .whole(let whole) = storage { whole.summary.trailers } else { summary.trailers }
  }

  var metrics: TransportSummary.Metrics? {
    if case .whole(let whole) = storage { whole.summary.metrics } else { summary.metrics }
  }

  /// Returns the dispatch's error for a thrown error; `nil` if no dispatch streams the body.
  func error(of thrown: any Error) -> (any Error)? {
    if case .streamed(let body) = storage { body.error(of: thrown) } else { nil }
  }

  var coding: (any CodingSource)? {
    if case .source(let source) = storage { source as? any CodingSource } else { nil }
  }

  var isWhole: Bool { if case .whole = storage { true } else { false } }

  /// Cancels a running transfer.
  public func cancel() {
    switch storage {
    case .whole: break
    case .source(let source): source.cancel()
    case .streamed(let body): body.cancel()
    }
  }

  /// Creates the iterator; call once.
  public func makeAsyncIterator() -> Iterator {
    switch storage {
    case .whole(let whole): Iterator(rest: whole.data.isEmpty ? nil : whole.data, source: nil)
    case .source(let source): Iterator(rest: nil, source: source)
    case .streamed(let body): Iterator(rest: nil, source: body.makeReader())
    }
  }

  /// An iterator over the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    var rest: Data?
    let source: (any BodySource)?

    /// Returns the next chunk; `nil` at the end.
    public mutating func next() async throws -> Data? {
      if let source { return try await source.next() }
      defer { rest = nil }
      return rest
    }
  }
}

/// The source of a ``BodyStream``, implemented for example by transports.
public protocol BodySource: AnyObject, Sendable {
  /// Returns the next non-empty chunk; `nil` at the end.
  ///
  /// Calls must not overlap. Throws if the body ended early.
  func next() async throws -> Data?

  /// Ends the transfer, so that a waiting ``next()`` throws.
  ///
  /// The default implementation has no effect. May be called repeatedly, from any thread.
  func cancel()

  /// The trailers and metrics; complete at the end of the body.
  var summary: TransportSummary { get }
}

extension BodySource {
  /// Has no effect.
  public func cancel() {}
  /// An empty summary.
  public var summary: TransportSummary { TransportSummary() }
}

/// A source that may compress a body.
///
/// `takenCount` is the number of chunks read for compression.
protocol CodingSource: BodySource {
  var takenCount: Int { get }
}

extension BodyStream: PrintedByDescription {
  /// `body stream`.
  public var description: String { "body stream" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BodyStream.Iterator: PrintedByDescription {
  /// `body stream`.
  public var description: String { "body stream" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The response body of a dispatch, read as a stream.
///
/// Releasing the body or its first reader cancels the dispatch, unless the body has ended.
final class StreamedBody: Sendable {
  private let dispatch: any OpenBody
  private let hasReader = Locked(false)

  init(_ dispatch: any OpenBody) { self.dispatch = dispatch }

  deinit { dispatch.cancel() }

  var summary: TransportSummary { dispatch.summary }

  func cancel() { dispatch.cancel() }

  func error(of thrown: any Error) -> any Error { dispatch.error(of: thrown) }

  /// Returns a reader.
  ///
  /// Only the first reader can read; reading from later readers throws an error.
  func makeReader() -> any BodySource {
    let isFirst = hasReader.withLock { hasReader in
      defer { hasReader = true }
      return !hasReader
    }
    return isFirst ? Reader(self) : LateReader(self)
  }

  private final class Reader: BodySource {
    private let body: StreamedBody

    init(_ body: StreamedBody) { self.body = body }

    deinit { body.cancel() }

    func next() async throws -> Data? { try await body.dispatch.next() }
  }

  private final class LateReader: BodySource {
    private let body: StreamedBody

    init(_ body: StreamedBody) { self.body = body }

    func next() async throws -> Data? { throw body.dispatch.readTwice }
  }
}

protocol OpenBody: AnyObject, Sendable {
  /// Returns the next chunk. A call that reaches the end or fails usually also finishes the dispatch.
  func next() async throws -> Data?
  /// Cancels the dispatch; has no effect after the end of the body.
  func cancel()
  func error(of thrown: any Error) -> any Error
  var readTwice: any Error { get }
  var summary: TransportSummary { get }
}
