// The buckets: who finds one empty waits in line, and one task an origin lets the line go on.
extension OriginStates {
  /// Waits for the turn of a place in the line; returns early, without it, when `signal` fires.
  func waitInLine(of origin: OriginKey, at place: UInt64, unless signal: CancellationSignal) async {
    let ending = signal.onCancel { [self] in leave(origin, place) }
    defer { signal.removeHandler(ending) }
    await withCheckedContinuation { continuation in
      let waits = change(origin, clock.now()) { $0.line.put(continuation, for: place) }
      if !waits { continuation.resume() }
    }
  }

  /// Closes the bucket, as the server wants nothing for a while.
  func close(_ origin: OriginKey, for wait: Duration) {
    let now = clock.now()
    change(origin, now) { $0.bucket?.close(for: wait, at: now) }
  }

  /// Takes a request from the bucket, or a place in the line for one; `nil` where there is no wait.
  func enterLine(of origin: OriginKey) -> UInt64? {
    guard rules.limit != nil else { return nil }
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
