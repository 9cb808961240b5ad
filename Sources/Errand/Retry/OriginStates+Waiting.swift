// The buckets: who finds one empty waits in line, and one task an origin lets the line go on.
extension OriginStates {
  /// Takes a request from the bucket, at once or in turn; returns early, without one, when `signal` fires.
  func takeTurn(at origin: OriginKey, unless signal: CancellationSignal) async {
    guard rules.limit != nil, let id = enter(origin) else { return }
    let ending = signal.onCancel { [self] in leave(origin, id) }
    defer { signal.removeHandler(ending) }
    await withCheckedContinuation { continuation in
      let waits = change(origin, clock.now()) { $0.line.put(continuation, for: id) }
      if !waits { continuation.resume() }
    }
  }

  /// Closes the bucket, as the server wants nothing for a while.
  func close(_ origin: OriginKey, for wait: Duration) {
    let now = clock.now()
    change(origin, now) { $0.bucket?.close(for: wait, at: now) }
  }

  /// The number in the line; `nil` when it was this one's turn.
  private func enter(_ origin: OriginKey) -> UInt64? {
    let now = clock.now()
    return change(origin, now) { state in
      if state.line.isEmpty, state.bucket?.wait(at: now) == .zero {
        state.bucket?.take(at: now)
        return nil
      }
      if state.pump == nil { state.pump = Task { [self] in await pump(origin) } }
      return state.line.enter()
    }
  }

  private func leave(_ origin: OriginKey, _ id: UInt64) {
    let (waiter, pump) = change(origin, clock.now()) { state in
      let waiter = state.line.leave(id)
      guard state.line.isEmpty else { return (waiter, Task<Void, Never>?.none) }
      defer { state.pump = nil }
      return (waiter, state.pump)
    }
    pump?.cancel()
    waiter?.resume()
  }

  private func pump(_ origin: OriginKey) async {
    while !Task.isCancelled, let wait = letGo(origin) { try? await clock.sleep(wait) }
  }

  /// Lets go whose turn it is, and gives the time until the next one's; `nil` when nobody waits.
  private func letGo(_ origin: OriginKey) -> Duration? {
    let now = clock.now()
    let (due, wait) = change(origin, now) { state in
      var due: [WaitingLine.Continuation] = []
      while !state.line.isEmpty, let bucket = state.bucket, bucket.wait(at: now) == .zero {
        state.bucket?.take(at: now)
        if let waiter = state.line.letFirstGo() { due.append(waiter) }
      }
      guard state.line.isEmpty else { return (due, state.bucket?.wait(at: now)) }
      state.pump = nil
      return (due, nil)
    }
    for waiter in due { waiter.resume() }
    return wait
  }
}
