import Foundation

final class CachingBody: BodySource {
  private let body: BodyStream
  private let writer: any CachedBodyWriter
  private let length: Int?
  /// Called at the end of the body with the reason against storing; `nil`: stored.
  private let whenStored: @Sendable (String?) -> Void
  // Both fields are guarded by the single consumer, whose calls never overlap.
  nonisolated(unsafe) private var iterator: BodyStream.Iterator
  nonisolated(unsafe) private var count = 0

  init(
    _ body: BodyStream, writer: any CachedBodyWriter, length: Int?,
    whenStored: @escaping @Sendable (String?) -> Void
  ) {
    (self.body, self.writer, self.length, self.whenStored) = (body, writer, length, whenStored)
    iterator = body.makeAsyncIterator()
  }

  static func verdict(_ problem: String?, success: String = "stored") -> String {
    guard let problem else { return success }
    return "not stored: \(problem)"
  }

  var summary: TransportSummary { body.summary }

  func cancel() { body.cancel() }

  func next() async throws -> Data? {
    let chunk = try await iterator.next()
    guard let chunk else {
      let isWhole = length == nil || length == count
      whenStored(isWhole ? await writer.finish() : "the length of the body differs from the Content-Range")
      return nil
    }
    count += chunk.count
    await writer.append(chunk)
    return chunk
  }
}

/// A writer that discards the response if a removal has revoked the ticket.
final class WatchedWriter: CachedBodyWriter {
  private let writer: any CachedBodyWriter
  private let ticket: CacheTicket
  private let remove: @Sendable () async -> Void

  init(_ writer: any CachedBodyWriter, ticket: CacheTicket, remove: @escaping @Sendable () async -> Void) {
    (self.writer, self.ticket, self.remove) = (writer, ticket, remove)
  }

  func append(_ bytes: Data) async { await writer.append(bytes) }

  func finish() async -> String? {
    guard ticket.isValid else { return CacheTicket.problem }
    if let problem = await writer.finish() {
      // The newer response could not be stored, so an outdated stored response, if any, is removed.
      await remove()
      return problem
    }
    guard !ticket.isValid else { return nil }
    await remove()
    return CacheTicket.problem
  }
}

/// A writer that stores the response only after the dispatch has accepted the response.
final class DeferredWriter: CachedBodyWriter {
  private let writer: any CachedBodyWriter
  /// Called with the result as a clause, if the acceptance comes after the end of the body.
  private let whenStored: @Sendable (String) -> Void
  private let state = Locked((hasEnded: false, isAccepted: false))

  init(_ writer: any CachedBodyWriter, whenStored: @escaping @Sendable (String) -> Void) {
    (self.writer, self.whenStored) = (writer, whenStored)
  }

  func append(_ bytes: Data) async { await writer.append(bytes) }

  func finish() async -> String? {
    let isAccepted = state.withLock { state in
      state.hasEnded = true
      return state.isAccepted
    }
    return isAccepted ? await writer.finish() : "the response was not accepted"
  }

  func accept() async {
    let hasEnded = state.withLock { state in
      state.isAccepted = true
      return state.hasEnded
    }
    guard hasEnded else { return }
    whenStored(CachingBody.verdict(await writer.finish()))
  }
}

final class JoinedBody: BodySource {
  private let rest: BodyStream
  private let length: Int
  // All three fields are guarded by the single consumer, whose calls never overlap.
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
      throw TransportError(.corruptBody, "the length of the rest of the body differs from the Content-Range")
    }
    return chunk
  }
}

extension TransportResponse {
  mutating func prepend(_ whole: CachedResponse) {
    head = HTTPResponse(status: whole.status, headers: whole.headers, url: head.url)
    let length = whole.headers["Content-Length"].flatMap(Int.init) ?? 0
    body = BodyStream(JoinedBody(whole.body.stream, rest: body, length: length))
  }
}
