public import Foundation

final class SingleUseSource: Sendable {
  private struct State {
    var openings = 0
    var reader: Int?
  }

  private final class Opening: BodySource {
    private let whole: SingleUseSource
    private let number: Int

    init(_ whole: SingleUseSource, number: Int) {
      self.whole = whole
      self.number = number
    }

    func next() async throws -> Data? { try await whole.next(for: number) }

    func cancel() { whole.cancel(for: number) }
  }

  private let source: any BodySource
  private let state = Locked(State())

  init(_ source: any BodySource) { self.source = source }

  func open() -> BodyStream {
    let number = state.withLock { state in
      state.openings += 1
      return state.openings
    }
    return BodyStream(Opening(self, number: number))
  }

  private func next(for number: Int) async throws -> Data? {
    let reader = state.withLock { state in
      state.reader = state.reader ?? number
      return state.reader
    }
    guard reader == number else {
      throw TransportError(.encoding, "the body stream can be sent once, and was sent before")
    }
    return try await source.next()
  }

  private func cancel(for number: Int) {
    if state.withLock({ $0.reader == number }) { source.cancel() }
  }
}

final class SequenceSource<Chunks: AsyncSequence & Sendable>: BodySource, @unchecked Sendable
where Chunks.Element == Data {
  // Needs no lock, because calls of `next` must not overlap (see `BodySource`).
  private var iterator: Chunks.AsyncIterator

  init(_ chunks: Chunks) { iterator = chunks.makeAsyncIterator() }

  func next() async throws -> Data? {
    while let chunk = try await iterator.next() {
      if !chunk.isEmpty { return chunk }
      // A sequence of empty chunks may ignore a cancellation, so the loop checks.
      try Task.checkCancellation()
    }
    return nil
  }
}

private struct StreamBody: BodyProvider {
  let length: Int64?
  let isReplayable: Bool
  let contentType: String?
  let open: @Sendable () -> BodyStream

  var content: RequestBody.Content { .stream(open(), length: length) }
  var summary: String { length.map { "stream of \($0) bytes" } ?? "stream of unknown length" }
}

extension RequestBody {
  /// Returns a body of chunks that can be produced once.
  ///
  /// Errand does not send the body again for a retry, renewed credentials or a redirect, except in a
  /// resumable upload.
  ///
  /// - Parameters:
  ///   - chunks: the body. A second dispatch that reads the body fails with ``RequestError/Kind/encoding``.
  ///   - length: the number of bytes; `nil`, the default, if unknown.
  ///   - contentType: the media type; `nil`, the default, if unknown.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil, contentType: String? = nil
  ) -> RequestBody where Chunks.Element == Data {
    let source = SingleUseSource(SequenceSource(chunks))
    return RequestBody(
      storage: .provided(
        StreamBody(length: length, isReplayable: false, contentType: contentType) { source.open() }))
  }

  /// Returns a body of chunks that can be produced again.
  ///
  /// - Parameters:
  ///   - length: the number of bytes; `nil`, the default, if unknown.
  ///   - contentType: the media type; `nil`, the default, if unknown.
  ///   - restart: returns the body from its beginning; may be called several times.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    length: Int64? = nil, contentType: String? = nil, restart: @escaping @Sendable () -> Chunks
  ) -> RequestBody where Chunks.Element == Data {
    RequestBody(
      storage: .provided(
        StreamBody(length: length, isReplayable: true, contentType: contentType) {
          BodyStream(SequenceSource(restart()))
        }))
  }
}
