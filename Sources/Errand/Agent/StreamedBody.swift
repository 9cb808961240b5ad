import Foundation

/// What keeps an open dispatch going: a response or its body that somebody still has, and the one reader.
///
/// When the last one is dropped, or the reader is, nobody can read the rest.
final class StreamedBody: Sendable {
  private let dispatch: any OpenBody
  private let hasReader = Locked(false)

  init(_ dispatch: any OpenBody) { self.dispatch = dispatch }

  deinit { dispatch.giveUp() }

  var summary: TransportSummary { dispatch.summary }

  func giveUp() { dispatch.giveUp() }

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
