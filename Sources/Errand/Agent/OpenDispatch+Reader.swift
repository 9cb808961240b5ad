import Foundation

// The reader's side: one task at a time.
extension OpenDispatch {
  func next() async throws -> Data? {
    guard beginReading() else { return try await tell() }
    var failure: (any Error)?
    do {
      let chunk = try await pull()
      if let chunk, endReading(with: chunk) { return chunk }
      if chunk != nil { failure = TransportError.cancelled }
    } catch {
      failure = error
    }
    state.withLock { state in
      state.phase = .ending
      state.isTold = true
    }
    _ = try await finish(failure).received()
    return nil
  }

  private func beginReading() -> Bool {
    state.withLock { state in
      guard state.phase == .resting else { return false }
      state.phase = .reading
      return true
    }
  }

  /// Whether there may be more; if not, the one who read runs the rest.
  private func endReading(with chunk: Data) -> Bool {
    state.withLock { state in
      guard !state.isCut else { return false }
      state.received += chunk.count
      state.phase = .resting
      return true
    }
  }

  /// How it ended while nobody read: the first time that is asked; `nil` from then on.
  private func tell() async throws -> Data? {
    let wasTold = state.withLock { state in
      defer { state.isTold = true }
      return state.isTold
    }
    if !wasTold { _ = try await end.wait().received() }
    return nil
  }

  private func pull() async throws -> Data? {
    dispatch.noticeTask()
    try dispatch.check(attempt.watch)
    let chunk: Data?
    if let source {
      chunk = try await withTaskCancellationHandler {
        try await source.next()
      } onCancel: {
        dispatch.cancellation.cancel(by: .task)
      }
    } else {
      chunk = state.withLock { state in
        defer { state.rest = nil }
        return state.rest
      }
    }
    guard let chunk else {
      try dispatch.check(attempt.watch)
      return nil
    }
    if let bound = dispatch.limits.streamSize, state.withLock({ $0.received }) + chunk.count > bound {
      throw TransportError.bodyTooLong(bound)
    }
    return chunk
  }
}
