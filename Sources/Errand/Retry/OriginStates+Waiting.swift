// The buckets: who finds one empty waits in line, and one task an origin lets the line go on.
extension OriginStates {
  /// Waits for the turn of a place in the line; `false`, without it, when `signal` fires first.
  func waitInLine(of origin: OriginKey, at place: UInt64, unless signal: CancellationSignal) async -> Bool {
    var ending: CancellationSignal.HandlerID?
    let hasTurn = await withCheckedContinuation { continuation in
      if change(origin, clock.now(), { $0.line.put(continuation, for: place) }) {
        // Runs at once when it has fired.
        ending = signal.onCancel { [self] in leave(origin, place) }
      } else {
        continuation.resume(returning: true)
      }
    }
    if let ending { signal.removeHandler(ending) }
    return hasTurn
  }

  /// How long the server wants nothing; zero when it does, or when nobody asks for that.
  func quietTime(of origin: OriginKey) -> Duration {
    guard rules.limit != nil else { return .zero }
    let now = clock.now()
    return change(origin, now) { $0.bucket?.quietTime(at: now) ?? .zero }
  }

  /// Takes a request from the bucket, also from an empty one, and past the line.
  func borrowTurn(of origin: OriginKey) {
    let now = clock.now()
    change(origin, now) { $0.bucket?.take(at: now) }
  }

  /// Gives back a turn that was not used: those in line get it.
  func returnTurn(of origin: OriginKey, takenAt time: Duration) {
    let now = clock.now()
    let pump = change(origin, now) { state in
      state.bucket?.giveBack(takenAt: time, at: now)
      guard let pump = state.pump else { return Task<Void, Never>?.none }
      // It sleeps until the time of the next turn, which is sooner now.
      state.pump = Task { [self] in await self.pump(origin) }
      return pump
    }
    pump?.cancel()
  }

  /// Closes the bucket, as the server wants nothing for a while.
  func close(_ origin: OriginKey, for wait: Duration) {
    let now = clock.now()
    change(origin, now) { $0.bucket?.close(for: wait, at: now) }
  }

  /// Takes a request from the bucket, or a place in the line for one; `nil` where there is no wait.
  func enterLine(of origin: OriginKey) -> UInt64? {
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
    waiter?.resume(returning: false)
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
    for waiter in due { waiter.resume(returning: true) }
    return wait
  }
}
