public import Foundation

/// A body as a sequence of chunks for a single consumer.
///
/// Chunks are produced only on demand.
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

  /// Creates a stream of bytes in memory: a single chunk, or no chunk for empty data.
  ///
  /// For a transport that receives the whole body with the head, together with the summary of the transfer.
  public init(_ data: Data, summary: TransportSummary = TransportSummary()) {
    storage = .whole(Whole(data, summary: summary))
  }

  /// Creates a stream from a transport's source.
  public init(_ source: any BodySource) { storage = .source(source) }

  /// Creates the stream of a dispatch that runs until the body has been read.
  init(_ body: StreamedBody) { storage = .streamed(body) }

  /// The transport's summary, complete after the end of the body.
  public var summary: TransportSummary {
    switch storage {
    case .whole(let whole): whole.summary
    case .source(let source): source.summary
    case .streamed(let body): body.summary
    }
  }

  /// Returns the dispatch's error for an error of the body's reader; `nil` without a dispatch.
  func error(of thrown: any Error) -> (any Error)? {
    if case .streamed(let body) = storage { body.error(of: thrown) } else { nil }
  }

  /// The source as a coding source, if the source recodes another stream; otherwise `nil`.
  var coding: (any CodingSource)? {
    if case .source(let source) = storage { source as? any CodingSource } else { nil }
  }

  /// True if the whole body is in memory, so that no transfer remains to end.
  var isWhole: Bool { if case .whole = storage { true } else { false } }

  /// Abandons the rest of the body; the transfer ends at once.
  ///
  /// After the end of the body, the call has no effect.
  public func cancel() {
    switch storage {
    case .whole: break
    case .source(let source): source.cancel()
    case .streamed(let body): body.giveUp()
    }
  }

  /// Creates the iterator.
  ///
  /// A stream has a single consumer: create only one iterator.
  public func makeAsyncIterator() -> Iterator {
    switch storage {
    case .whole(let whole): Iterator(rest: whole.data.isEmpty ? nil : whole.data, source: nil)
    case .source(let source): Iterator(rest: nil, source: source)
    case .streamed(let body): Iterator(rest: nil, source: body.makeReader())
    }
  }

  /// The iterator over the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    var rest: Data?
    let source: (any BodySource)?

    /// Returns the next chunk, never empty; `nil` at the end.
    public mutating func next() async throws -> Data? {
      if let source { return try await source.next() }
      defer { rest = nil }
      return rest
    }
  }
}

/// The source of a ``BodyStream``, implemented by transports.
public protocol BodySource: AnyObject, Sendable {
  /// Returns the next chunk, never empty; `nil` at the end and after the end.
  ///
  /// Called by a single consumer, with a single call at a time. Throws a ``TransportError`` if the body is
  /// incomplete.
  func next() async throws -> Data?

  /// Ends the transfer at once; a waiting ``next()`` throws. Callable from any thread, and repeatedly.
  func cancel()

  /// The trailers and metrics after the end. Empty by default.
  var summary: TransportSummary { get }
}

extension BodySource {
  /// Has no effect, because the source has no transfer.
  public func cancel() {}
  /// An empty summary.
  public var summary: TransportSummary { TransportSummary() }
}

/// A source that recodes another stream, and may read many chunks before producing a chunk.
protocol CodingSource: BodySource {
  /// The number of chunks read from the other stream; readable on any thread.
  var takenCount: Int { get }
}

extension BodyStream: PrintedByDescription {
  /// The text `body stream`, without bytes and origin.
  public var description: String { "body stream" }
  /// An empty mirror, so that `dump` shows no bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BodyStream.Iterator: PrintedByDescription {
  /// The text `body stream`, without bytes and origin.
  public var description: String { "body stream" }
  /// An empty mirror, so that `dump` shows no bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps an open dispatch alive for a response, its body and the single reader.
///
/// After the release of the last holder or of the reader, the rest of the body is abandoned.
final class StreamedBody: Sendable {
  private let dispatch: any OpenBody
  private let hasReader = Locked(false)

  init(_ dispatch: any OpenBody) { self.dispatch = dispatch }

  deinit { dispatch.giveUp() }

  var summary: TransportSummary { dispatch.summary }

  func giveUp() { dispatch.giveUp() }

  func error(of thrown: any Error) -> any Error { dispatch.error(of: thrown) }

  /// Returns the reader; every further reader throws an error.
  func makeReader() -> any BodySource {
    let isFirst = hasReader.withLock { hasReader in
      defer { hasReader = true }
      return !hasReader
    }
    return isFirst ? Reader(self) : LateReader(self)
  }

  /// The first reader, alive as long as the iterator and its copies.
  private final class Reader: BodySource {
    private let body: StreamedBody

    init(_ body: StreamedBody) { self.body = body }

    deinit { body.giveUp() }

    func next() async throws -> Data? { try await body.dispatch.next() }
  }

  private final class LateReader: BodySource {
    private let body: StreamedBody

    init(_ body: StreamedBody) { self.body = body }

    func next() async throws -> Data? { throw body.dispatch.readTwice }
  }
}

/// A dispatch that has delivered its head and produces the chunks of the body.
protocol OpenBody: AnyObject, Sendable {
  /// Returns the next chunk. At the end, the dispatch first completes its remaining steps.
  func next() async throws -> Data?
  /// Ends the transfer as cancelled, unless already ending.
  func giveUp()
  /// Returns the error reported for an error of the body's reader.
  func error(of thrown: any Error) -> any Error
  /// The error for a second reader.
  var readTwice: any Error { get }
  var summary: TransportSummary { get }
}
