#if os(Linux)
import Foundation

// The side of the loop's thread.
extension CurlExchange {
  /// Hands the news over with one wake-up of the consumer; after the end they are dropped.
  func deliver(_ news: CurlNews) {
    change { state in
      guard state.ending == nil else { return }
      if let head = news.head { state.head = head }
      if state.chunks.isEmpty { state.chunks = news.chunks } else { state.chunks += news.chunks }
      state.buffered += news.buffered
      guard let ending = news.ending else { return }
      state.ending = ending
      state.summary = news.summary
    }
  }

  /// Whether the loop is to stop receiving; if so, the consumer posts `.resumeReceiving` when it has made room.
  func pauses(with pending: Int) -> Bool {
    state.withLock { state in
      guard state.buffered + pending >= Self.highWaterMark, state.ending == nil else { return false }
      state.isPaused = true
      return true
    }
  }
}
#endif
