public import Foundation

/// A body as chunks, pulled one after another by one consumer; nothing is produced faster than it is pulled.
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

  /// Makes a stream of bytes in memory: one chunk, or none when they are empty.
  ///
  /// A transport that has a whole body with its head gives it so, with what it knows about the transfer.
  public init(_ data: Data, summary: TransportSummary = TransportSummary()) {
    storage = .whole(Whole(data, summary: summary))
  }

  /// Makes a stream of a transport's own source.
  public init(_ source: any BodySource) { storage = .source(source) }

  /// Makes the stream of a dispatch that runs until its body has been read.
  init(_ body: StreamedBody) { storage = .streamed(body) }

  /// What the transport knows once the body has ended.
  public var summary: TransportSummary {
    switch storage {
    case .whole(let whole): whole.summary
    case .source(let source): source.summary
    case .streamed(let body): body.summary
    }
  }

  /// The error of the dispatch whose body it is, for what its reader made of the bytes; `nil` where it is of none.
  func error(of thrown: any Error) -> (any Error)? {
    if case .streamed(let body) = storage { body.error(of: thrown) } else { nil }
  }

  /// The source, where it reads another stream to make other bytes of that stream; `nil` elsewhere.
  var coding: (any CodingSource)? {
    if case .source(let source) = storage { source as? any CodingSource } else { nil }
  }

  /// Whether all of it is in memory, so that there is no transfer to end.
  var isWhole: Bool { if case .whole = storage { true } else { false } }

  /// Gives the rest of the body up: the transfer ends at once.
  ///
  /// Calling it after the end does nothing.
  public func cancel() {
    switch storage {
    case .whole: break
    case .source(let source): source.cancel()
    case .streamed(let body): body.giveUp()
    }
  }

  /// Makes the iterator.
  ///
  /// A stream has one consumer: make one iterator only.
  public func makeAsyncIterator() -> Iterator {
    switch storage {
    case .whole(let whole): Iterator(rest: whole.data.isEmpty ? nil : whole.data, source: nil)
    case .source(let source): Iterator(rest: nil, source: source)
    case .streamed(let body): Iterator(rest: nil, source: body.makeReader())
    }
  }

  /// Pulls the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    var rest: Data?
    let source: (any BodySource)?

    /// The next chunk, never an empty one; `nil` at the end.
    public mutating func next() async throws -> Data? {
      if let source { return try await source.next() }
      defer { rest = nil }
      return rest
    }
  }
}

/// Where a ``BodyStream`` comes from; transports implement it.
public protocol BodySource: AnyObject, Sendable {
  /// The next chunk, never an empty one; `nil` at the end, once and for all. Called by one consumer, one call at a
  /// time. Throws a ``TransportError`` when the body broke off.
  func next() async throws -> Data?

  /// Ends the transfer at once; a waiting ``next()`` throws. May be called from any thread, and more than once.
  func cancel()

  /// What is known after the end: trailers and metrics. Empty by default.
  var summary: TransportSummary { get }
}

extension BodySource {
  /// Nothing to cancel.
  public func cancel() {}
  /// No trailers, no metrics.
  public var summary: TransportSummary { TransportSummary() }
}

/// A source that reads another stream, and may read much of that stream before it gives anything.
protocol CodingSource: BodySource {
  /// The number of chunks that have come from the other stream; read by any thread.
  var takenCount: Int { get }
}

extension BodyStream: PrintedByDescription {
  /// `body stream`; never the bytes, nor where they come from.
  public var description: String { "body stream" }
  /// Shows `dump` no bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BodyStream.Iterator: PrintedByDescription {
  /// `body stream`; never the bytes, nor where they come from.
  public var description: String { "body stream" }
  /// Shows `dump` no bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What keeps an open dispatch going: a response or its body that is still held, and the one reader.
///
/// When the last holder or the reader is gone, the rest cannot be read any more, and is given up.
final class StreamedBody: Sendable {
  private let dispatch: any OpenBody
  private let hasReader = Locked(false)

  init(_ dispatch: any OpenBody) { self.dispatch = dispatch }

  deinit { dispatch.giveUp() }

  var summary: TransportSummary { dispatch.summary }

  func giveUp() { dispatch.giveUp() }

  func error(of thrown: any Error) -> any Error { dispatch.error(of: thrown) }

  /// The reader; any further one reads nothing but an error.
  func makeReader() -> any BodySource {
    let isFirst = hasReader.withLock { hasReader in
      defer { hasReader = true }
      return !hasReader
    }
    return isFirst ? Reader(self) : LateReader(self)
  }

  /// Lives as long as the iterator, and its copies.
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

/// A dispatch that has handed out its head, and gives the chunks of the body.
protocol OpenBody: AnyObject, Sendable {
  /// The next chunk; at the end it runs the rest of the line first.
  func next() async throws -> Data?
  /// Ends the transfer as cancelled, unless it is about to end.
  func giveUp()
  /// What the reader gets for what it made of the bytes.
  func error(of thrown: any Error) -> any Error
  /// What a second reader gets.
  var readTwice: any Error { get }
  var summary: TransportSummary { get }
}
