public import Foundation

/// A body as chunks, pulled by a single consumer (back-pressure).
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

  /// Creates a stream of bytes in memory: a single chunk, or no chunk if the bytes are empty.
  public init(_ data: Data, summary: TransportSummary = TransportSummary()) {
    storage = .whole(Whole(data, summary: summary))
  }

  /// Creates a stream that reads a source.
  public init(_ source: any BodySource) { storage = .source(source) }

  init(_ body: StreamedBody) { storage = .streamed(body) }

  /// The trailers and metrics that the transport knows after the end of the body.
  public var summary: TransportSummary {
    switch storage {
    case .whole(let whole): whole.summary
    case .source(let source): source.summary
    case .streamed(let body): body.summary
    }
  }

  // Two properties without a copy of the summary.

  var trailers: HTTPHeaders {
    if case .whole(let whole) = storage { whole.summary.trailers } else { summary.trailers }
  }

  var metrics: TransportSummary.Metrics? {
    if case .whole(let whole) = storage { whole.summary.metrics } else { summary.metrics }
  }

  /// Converts an error of reading or decoding to an error of the dispatch; `nil` without a dispatch.
  func error(of thrown: any Error) -> (any Error)? {
    if case .streamed(let body) = storage { body.error(of: thrown) } else { nil }
  }

  var coding: (any CodingSource)? {
    if case .source(let source) = storage { source as? any CodingSource } else { nil }
  }

  var isWhole: Bool { if case .whole = storage { true } else { false } }

  /// Cancels the transfer of the body.
  ///
  /// Has no effect after the end, or for a stream of bytes in memory.
  public func cancel() {
    switch storage {
    case .whole: break
    case .source(let source): source.cancel()
    case .streamed(let body): body.cancel()
    }
  }

  /// Creates the iterator.
  ///
  /// A stream has a single consumer: create only a single iterator.
  public func makeAsyncIterator() -> Iterator {
    switch storage {
    case .whole(let whole): Iterator(rest: whole.data.isEmpty ? nil : whole.data, source: nil)
    case .source(let source): Iterator(rest: nil, source: source)
    case .streamed(let body): Iterator(rest: nil, source: body.makeReader())
    }
  }

  /// An iterator that pulls the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    var rest: Data?
    let source: (any BodySource)?

    /// Returns the next chunk, never an empty chunk; `nil` at the end.
    public mutating func next() async throws -> Data? {
      if let source { return try await source.next() }
      defer { rest = nil }
      return rest
    }
  }
}

/// The source of a ``BodyStream``; transports implement the protocol.
public protocol BodySource: AnyObject, Sendable {
  /// Returns the next chunk, never an empty chunk; `nil` at the end.
  ///
  /// Calls must not overlap. Throws if the body broke off; the source of a transport throws a
  /// ``TransportError``.
  func next() async throws -> Data?

  /// Ends the transfer, if there is a transfer; a ``next()`` that waits for the transfer throws.
  ///
  /// May be called from any thread, and more than once.
  func cancel()

  /// The trailers and metrics, known after the end; empty by default.
  var summary: TransportSummary { get }
}

extension BodySource {
  /// Has no effect, for a source without a transfer.
  public func cancel() {}
  /// An empty summary without trailers and metrics.
  public var summary: TransportSummary { TransportSummary() }
}

/// A source that reads another stream.
protocol CodingSource: BodySource {
  var takenCount: Int { get }
}

extension BodyStream: PrintedByDescription {
  /// `body stream`; never the bytes, nor their source.
  public var description: String { "body stream" }
  /// A mirror without children, so `dump` shows no bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BodyStream.Iterator: PrintedByDescription {
  /// `body stream`; never the bytes, nor their source.
  public var description: String { "body stream" }
  /// A mirror without children, so `dump` shows no bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps a dispatch open until its body is read or no longer needed.
///
/// Releasing the last reference, or the reader, cancels a running transfer.
final class StreamedBody: Sendable {
  private let dispatch: any OpenBody
  private let hasReader = Locked(false)

  init(_ dispatch: any OpenBody) { self.dispatch = dispatch }

  deinit { dispatch.cancel() }

  var summary: TransportSummary { dispatch.summary }

  func cancel() { dispatch.cancel() }

  func error(of thrown: any Error) -> any Error { dispatch.error(of: thrown) }

  /// Returns the reader; a second reader throws at each read.
  func makeReader() -> any BodySource {
    let isFirst = hasReader.withLock { hasReader in
      defer { hasReader = true }
      return !hasReader
    }
    return isFirst ? Reader(self) : LateReader(self)
  }

  /// Cancels a running transfer as soon as the iterator and all copies are released.
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

/// A dispatch that has returned its head and still delivers the chunks of the body.
protocol OpenBody: AnyObject, Sendable {
  /// Returns the next chunk; `nil` at the end, after the remaining steps of the dispatch.
  func next() async throws -> Data?
  /// Cancels the transfer; has no effect after the end of the body.
  func cancel()
  func error(of thrown: any Error) -> any Error
  var readTwice: any Error { get }
  var summary: TransportSummary { get }
}
