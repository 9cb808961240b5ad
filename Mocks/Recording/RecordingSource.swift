import Errand
import Foundation

/// A body source that copies the bytes of another body for the recording.
///
/// A failed body is not recorded, and neither is a body cut short by the cancellation of the request.
final class RecordingSource: BodySource, @unchecked Sendable {
  typealias Ending = @Sendable (_ body: Data, _ summary: TransportSummary, _ isWhole: Bool) -> Void

  private let body: BodyStream
  // Used only by `next`; calls of `next` do not overlap (see `BodySource`).
  private var iterator: BodyStream.Iterator
  private let cancellation: CancellationSignal
  private let ending: Ending
  /// The bytes so far; `nil` once the body has ended, failed or been cancelled.
  private let collected = Locked<Data?>(Data())

  init(_ body: BodyStream, cancellation: CancellationSignal, ending: @escaping Ending) {
    self.body = body
    iterator = body.makeAsyncIterator()
    self.cancellation = cancellation
    self.ending = ending
  }

  deinit { handOver(isWhole: false) }

  var summary: TransportSummary { body.summary }

  func next() async throws -> Data? {
    do {
      guard let chunk = try await iterator.next() else {
        handOver(isWhole: true)
        return nil
      }
      collected.withLock { $0?.append(chunk) }
      return chunk
    } catch {
      _ = takeCollected()
      throw error
    }
  }

  func cancel() {
    body.cancel()
    handOver(isWhole: false)
  }

  private func handOver(isWhole: Bool) {
    guard let data = takeCollected(), isWhole || !cancellation.isCancelled else { return }
    ending(data, summary, isWhole)
  }
  private func takeCollected() -> Data? {
    collected.withLock { data in
      defer { data = nil }
      return data
    }
  }
}
