#if os(Linux)
import Foundation

// The consumer's side: one task at a time.
extension CurlExchange {
  private enum Pull {
    case chunk(Data, makesRoom: Bool)
    case end
    case notYet
  }

  /// Waits for the head of the final response.
  func head() async throws -> HTTPResponse {
    while true {
      if let head = try state.withLock({ try Self.takeHead($0) }) { return head }
      await wait { $0.head != nil }
    }
  }

  /// The whole body and what is known about the transfer, when it has ended well with the body in one piece.
  func takeWhole() -> (data: Data, summary: TransportSummary)? {
    state.withLock { state in
      guard case .success = state.ending, state.chunks.count <= 1 else { return nil }
      let data = state.chunks.popLast() ?? Data()
      state.buffered = 0
      return (data, state.summary ?? TransportSummary())
    }
  }

  /// Waits for the next chunk as it came from the network; `nil` at the end.
  func nextChunk() async throws -> Data? {
    while true {
      switch try state.withLock({ try Self.pull(&$0) }) {
      case .chunk(let data, let makesRoom):
        if makesRoom { loop.post(.resumeReceiving(self)) }
        return data
      case .end: return nil
      case .notYet: await wait { !$0.chunks.isEmpty }
      }
    }
  }

  private static func takeHead(_ state: State) throws -> HTTPResponse? {
    if let head = state.head, !state.isGivenUp { return head }
    try state.ending?.get()
    return nil
  }

  private static func pull(_ state: inout State) throws -> Pull {
    guard let chunk = state.chunks.first else {
      guard let ending = state.ending else { return .notYet }
      try ending.get()
      return .end
    }
    state.chunks.removeFirst()
    state.buffered -= chunk.count
    let makesRoom = state.isPaused && state.buffered <= lowWaterMark
    if makesRoom { state.isPaused = false }
    return .chunk(chunk, makesRoom: makesRoom)
  }

  /// Waits for a change, unless `isReady` or the end is there already.
  ///
  /// What the loop has to say is in `state`: Thread Sanitizer does not see the order of a payload handed to
  /// `resume(returning:)` from another thread.
  private func wait(until isReady: (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if isReady(state) || state.ending != nil { return true }
        state.waiter = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
#endif
