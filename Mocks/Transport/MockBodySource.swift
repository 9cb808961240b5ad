import Errand
import Foundation

/// A mock's body with chunks, a limited rate, a fault or trailers.
///
/// The wait of a piece starts when the reader asks for the piece.
final class MockBodySource: BodySource {
  enum Ending: Sendable {
    case complete
    case failure(TransportError)
    /// No further bytes; the body fails after the request's timeout.
    case silence
  }

  let summary: TransportSummary
  private let pieces: [BodyPiece]
  private let ending: Ending
  private let wait: ProgressWait
  private let position = Locked(0)
  /// Fires when the reader cancels the body or the request is cancelled.
  private let cancelSignal = CancellationSignal()
  private let cancellation: CancellationSignal
  private let handler: CancellationSignal.HandlerID

  init(
    _ pieces: [BodyPiece], ending: Ending, summary: TransportSummary, wait: ProgressWait,
    cancellation: CancellationSignal
  ) {
    self.summary = summary
    self.pieces = pieces
    self.ending = ending
    self.wait = wait
    self.cancellation = cancellation
    handler = cancellation.onCancel { [cancelSignal] in cancelSignal.cancel() }
  }

  deinit { cancellation.removeHandler(handler) }

  func next() async throws -> Data? {
    let index = position.withLock { $0 }
    // A cancellation after the last piece of a complete body has no effect.
    if index == pieces.count, case .complete = ending { return nil }
    guard !cancelSignal.isCancelled else { throw TransportError.cancelled }
    guard index < pieces.count else { return try await fail() }
    let piece = pieces[index]
    if piece.wait > .zero { try await waiting { [wait] in try await wait.sleep(for: piece.wait) } }
    position.withLock { $0 = index + 1 }
    return piece.bytes
  }

  func cancel() { cancelSignal.cancel() }

  private func fail() async throws -> Data? {
    if case .failure(let error) = ending { throw error }
    try await waiting { [wait] in try await wait.stall() }
    return nil
  }

  private func waiting(_ operation: @escaping @Sendable () async throws -> Void) async throws {
    do {
      try await cancelSignal.cancelling(operation)
    } catch {
      throw cancelSignal.isCancelled ? TransportError.cancelled : error
    }
  }
}
