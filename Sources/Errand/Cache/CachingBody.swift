import Foundation

/// A body that is stored while it is read, and kept once it was read to its end.
final class CachingBody: BodySource {
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
    _ body: BodyStream, writer: any CachedBodyWriter, length: Int?,
    whenStored: @escaping @Sendable (String?) -> Void
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

/// Keeps an answer, unless it was to be removed while it came.
final class WatchedWriter: CachedBodyWriter {
  private let writer: any CachedBodyWriter
  private let ticket: CacheTicket
  /// Takes out what was kept too late.
  private let remove: @Sendable () async -> Void

  init(_ writer: any CachedBodyWriter, ticket: CacheTicket, remove: @escaping @Sendable () async -> Void) {
    (self.writer, self.ticket, self.remove) = (writer, ticket, remove)
  }

  func append(_ bytes: Data) async { await writer.append(bytes) }

  func finish() async -> String? {
    guard ticket.isValid else { return CacheTicket.problem }
    if let problem = await writer.finish() {
      // What it was to take the place of is old.
      await remove()
      return problem
    }
    guard !ticket.isValid else { return nil }
    await remove()
    return CacheTicket.problem
  }
}

/// The bytes of one body, then those of another.
final class JoinedBody: BodySource {
  private let rest: BodyStream
  /// How many bytes both have to have.
  private let length: Int
  // Guard of all three: the one consumer, which makes one call at a time.
  nonisolated(unsafe) private var first: BodyStream.Iterator
  nonisolated(unsafe) private var second: BodyStream.Iterator
  nonisolated(unsafe) private var count = 0

  init(_ first: BodyStream, rest: BodyStream, length: Int) {
    (self.rest, self.length) = (rest, length)
    (self.first, second) = (first.makeAsyncIterator(), rest.makeAsyncIterator())
  }

  var summary: TransportSummary { rest.summary }

  func cancel() { rest.cancel() }

  func next() async throws -> Data? {
    var chunk = try await first.next()
    if chunk == nil { chunk = try await second.next() }
    count += chunk?.count ?? 0
    guard chunk != nil || count == length else {
      throw TransportError(.corruptBody, "the rest of the body has not the length of its Content-Range")
    }
    return chunk
  }
}

extension TransportResponse {
  /// Puts the stored part of a body before the rest that the server sent.
  mutating func prepend(_ whole: CachedResponse) {
    head = HTTPResponse(status: whole.status, headers: whole.headers, url: head.url)
    let length = whole.headers["Content-Length"].flatMap(Int.init) ?? 0
    body = BodyStream(JoinedBody(whole.body.stream, rest: body, length: length))
  }
}
