import Foundation

/// The body of a 206 response, checked against the length in `Content-Range` (RFC 9110 section 14.4).
final class RangedBody: BodySource {
  private let body: BodyStream
  private let range: ContentRange
  // Guarded by the single consumer, whose calls never overlap.
  nonisolated(unsafe) private var iterator: BodyStream.Iterator
  nonisolated(unsafe) private var count: Int64 = 0

  private init(_ body: BodyStream, range: ContentRange) {
    (self.body, self.range) = (body, range)
    iterator = body.makeAsyncIterator()
  }

  /// Returns a checked body.
  ///
  /// An encoded body is not checked, because its range counts bytes before decoding.
  static func checked(_ body: BodyStream, head: HTTPResponse, method: HTTPMethod?) -> BodyStream {
    guard head.status == 206, method != .head, PartRecord.isPlain(head), let range = ContentRange(of: head)
    else { return body }
    return BodyStream(RangedBody(body, range: range))
  }

  var summary: TransportSummary { body.summary }

  func cancel() { body.cancel() }

  func next() async throws -> Data? {
    let chunk = try await iterator.next()
    count += Int64(chunk?.count ?? 0)
    guard chunk == nil || count > range.count else { return chunk }
    guard count != range.count else { return nil }
    if chunk != nil { body.cancel() }
    let problem =
      chunk == nil ? "ended after \(count) of the \(range.count)" : "has more than the \(range.count)"
    throw TransportError(.invalidResponse, "the body \(problem) bytes of its Content-Range, \(range)")
  }
}
