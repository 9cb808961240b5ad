import Errand
import Foundation

/// The chunks of an answer with the gaps between them, waited for as they are pulled.
final class MockBodySource: BodySource {
  let summary: TransportSummary
  private let chunks: [Data]
  private let gap: Duration
  private let wait: ProgressWait
  private let position = Locked(0)
  /// Fires when either side gives up: the reader by `cancel`, the request by its own signal.
  private let ending = CancellationSignal()
  private let cancellation: CancellationSignal
  private let handler: CancellationSignal.HandlerID

  init(
    _ chunks: [Data], gap: Duration, summary: TransportSummary, wait: ProgressWait,
    cancellation: CancellationSignal
  ) {
    self.summary = summary
    self.chunks = chunks
    self.gap = gap
    self.wait = wait
    self.cancellation = cancellation
    handler = cancellation.onCancel { [ending] in ending.cancel() }
  }

  deinit { cancellation.removeHandler(handler) }

  func next() async throws -> Data? {
    let index = position.withLock { $0 }
    // First of all: a body that has ended stays ended, whoever gives up later.
    guard index < chunks.count else { return nil }
    guard !ending.isCancelled else { throw TransportError.cancelled }
    if index > 0 { try await waitForGap() }
    position.withLock { $0 = index + 1 }
    return chunks[index]
  }

  func cancel() { ending.cancel() }

  private func waitForGap() async throws {
    do {
      try await ending.cancelling { [wait, gap] in try await wait.sleep(for: gap) }
    } catch {
      throw ending.isCancelled ? TransportError.cancelled : error
    }
  }
}
