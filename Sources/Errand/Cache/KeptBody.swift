import Foundation

/// A body that is stored while it is read, and kept once it was read to its end.
final class KeptBody: BodySource {
  private let body: BodyStream
  private let writer: any CachedBodyWriter
  /// How many bytes it has to have; `nil` where nobody said.
  private let length: Int?
  /// Told once, why it was not kept; `nil` where it was.
  private let whenStored: @Sendable (String?) -> Void
  // Guard of both: the one consumer, which makes one call at a time.
  nonisolated(unsafe) private var iterator: BodyStream.Iterator
  nonisolated(unsafe) private var count = 0

  init(
    _ body: BodyStream, _ writer: any CachedBodyWriter, length: Int?,
    _ whenStored: @escaping @Sendable (String?) -> Void
  ) {
    (self.body, self.writer, self.length, self.whenStored) = (body, writer, length, whenStored)
    iterator = body.makeAsyncIterator()
  }

  var summary: TransportSummary { body.summary }

  func cancel() { body.cancel() }

  func next() async throws -> Data? {
    let chunk = try await iterator.next()
    guard let chunk else {
      let isWhole = length == nil || length == count
      whenStored(isWhole ? await writer.finish() : "its length is not that of its Content-Range")
      return nil
    }
    count += chunk.count
    await writer.append(chunk)
    return chunk
  }
}

/// The bytes of one body, then those of another.
final class JoinedBody: BodySource {
  private let rest: BodyStream
  // Guard of both: the one consumer, which makes one call at a time.
  nonisolated(unsafe) private var first: BodyStream.Iterator
  nonisolated(unsafe) private var second: BodyStream.Iterator

  init(_ first: BodyStream, _ rest: BodyStream) {
    self.rest = rest
    (self.first, second) = (first.makeAsyncIterator(), rest.makeAsyncIterator())
  }

  var summary: TransportSummary { rest.summary }

  func cancel() { rest.cancel() }

  func next() async throws -> Data? {
    if let chunk = try await first.next() { return chunk }
    return try await second.next()
  }
}
