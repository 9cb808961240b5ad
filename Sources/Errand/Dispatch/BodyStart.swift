import Foundation

/// The beginning of a body, read ahead of the consumer.
///
/// As a `BodySource`, a `BodyStart` supplies the whole body.
final class BodyStart: BodySource {
  let data: Data
  private let body: BodyStream
  private let end: Result<Void, any Error>?
  // A body has a single consumer, whose calls never overlap.
  nonisolated(unsafe) private var iterator: BodyStream.Iterator
  nonisolated(unsafe) private var start: Data?

  init(_ body: BodyStream, limit: Int) async {
    var (iterator, data, end) = (body.makeAsyncIterator(), Data(), Result<Void, any Error>?.none)
    do {
      while data.count < limit, end == nil {
        if let chunk = try await iterator.next() { data += chunk } else { end = .success(()) }
      }
    } catch {
      end = .failure(error)
    }
    (self.body, self.data, self.end) = (body, data, end)
    (self.iterator, start) = (iterator, data.isEmpty ? nil : data)
  }

  var isEnded: Bool { end != nil }

  var summary: TransportSummary { body.summary }

  func next() async throws -> Data? {
    if let start = start.take() { return start }
    guard let end else { return try await iterator.next() }
    try end.get()
    return nil
  }

  func cancel() { body.cancel() }
}
