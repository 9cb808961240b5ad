import Errand
import Foundation

/// The pieces of an answer's body with the waits before them, waited for as they are pulled.
final class MockBodySource: BodySource {
  /// What follows the pieces.
  enum Ending: Sendable {
    case complete
    case failure(TransportError)
    /// Nothing, until the time without progress is over.
    case silence
  }

  let summary: TransportSummary
  private let pieces: [BodyPiece]
  private let ending: Ending
  private let wait: ProgressWait
  private let position = Locked(0)
  /// Fires when either side gives up: the reader by `cancel`, the request by its own signal.
  private let giveUp = CancellationSignal()
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
    handler = cancellation.onCancel { [giveUp] in giveUp.cancel() }
  }

  deinit { cancellation.removeHandler(handler) }

  func next() async throws -> Data? {
    let index = position.withLock { $0 }
    // First of all: a body that has ended stays ended, also when it is given up later.
    if index == pieces.count, case .complete = ending { return nil }
    guard !giveUp.isCancelled else { throw TransportError.cancelled }
    guard index < pieces.count else { return try await fail() }
    let piece = pieces[index]
    if piece.wait > .zero { try await waiting { [wait] in try await wait.sleep(for: piece.wait) } }
    position.withLock { $0 = index + 1 }
    return piece.bytes
  }

  func cancel() { giveUp.cancel() }

  private func fail() async throws -> Data? {
    if case .failure(let error) = ending { throw error }
    try await waiting { [wait] in try await wait.stall() }
    return nil
  }

  private func waiting(_ operation: @escaping @Sendable () async throws -> Void) async throws {
    do {
      try await giveUp.cancelling(operation)
    } catch {
      throw giveUp.isCancelled ? TransportError.cancelled : error
    }
  }
}
