import Foundation

/// Any asynchronous sequence of chunks as a source.
final class SequenceSource<Chunks: AsyncSequence & Sendable>: BodySource, @unchecked Sendable
where Chunks.Element == Data {
  // Guard of `iterator`: `next` has one caller, one call at a time (see `BodySource`).
  private var iterator: Chunks.AsyncIterator

  init(_ chunks: Chunks) { iterator = chunks.makeAsyncIterator() }

  func next() async throws -> Data? {
    while let chunk = try await iterator.next() {
      if !chunk.isEmpty { return chunk }
    }
    return nil
  }
}
