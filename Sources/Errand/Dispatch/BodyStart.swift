import Foundation

/// The beginning of a body that is read before it is known who gets the body; as a source, the body as if nobody had read it.
final class BodyStart: BodySource {
  /// What was read.
  let data: Data
  private let body: BodyStream
  /// How the body ended; `nil` where more may come.
  private let end: Result<Void, any Error>?
  // Guard: the one consumer, which makes one call at a time.
  nonisolated(unsafe) private var iterator: BodyStream.Iterator
  nonisolated(unsafe) private var start: Data?

  /// Reads until so many bytes are there, or the body ends.
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

  /// Whether nothing more comes, so that there is no transfer to end.
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
