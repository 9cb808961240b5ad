public import Dispatch

extension RequestAgent {
  /// Starts a request and returns at once; the completion runs on the main actor, exactly once.
  ///
  /// The agent keeps the dispatch alive: the handle may be dropped, and what the completion captured is released
  /// after it ran. A command-line program that does not service its main queue takes
  /// ``start(_:suspended:on:completion:)``.
  ///
  /// - Parameters:
  ///   - request: what is sent.
  ///   - suspended: whether it rests from its start, as after ``RequestHandle/suspend()``, until
  ///     ``RequestHandle/resume()``: it is announced to accessories and not built, and ``Request/deadline`` runs. `false` by
  ///     default.
  ///   - completion: gets the outcome.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false,
    completion: (@MainActor @Sendable (Outcome<R.Response>) -> Void)? = nil
  ) -> RequestHandle<R.Response> {
    guard let completion else { return begin(request, suspended, completion: nil) }
    return begin(request, suspended) { outcome in await completion(outcome) }
  }

  /// Starts a request and returns at once; the completion runs on `queue`, exactly once.
  ///
  /// The dispatch ends after it, so a queue that is suspended holds it. `suspended` is as in
  /// ``start(_:suspended:completion:)``.
  @discardableResult
  public func start<R: Request>(
    _ request: R, suspended: Bool = false, on queue: DispatchQueue,
    completion: @escaping @Sendable (Outcome<R.Response>) -> Void
  ) -> RequestHandle<R.Response> {
    begin(request, suspended) { outcome in await queue.perform { completion(outcome) } }
  }

  /// Cancels every dispatch and every group that runs; each ends as cancelled, in its own time: hooks are awaited.
  public func cancelAll() {
    // No waiting dispatch is sent in the place of one that was cancelled before it.
    turns.holding {
      slots.holding {
        // Groups first, so that none sends another member meanwhile.
        for signal in groups.signals { signal.cancel(by: .agent) }
        for signal in inFlight.signals { signal.cancel(by: .agent) }
      }
    }
  }

  /// The number of dispatches that have begun and not ended.
  public var liveCount: Int { inFlight.count }

  private func begin<R: Request>(
    _ request: R, _ isSuspended: Bool, completion: (@Sendable (Outcome<R.Response>) async -> Void)?
  ) -> RequestHandle<R.Response> {
    let entry = inFlight.enter()
    let suspension = SuspensionSignal()
    if isSuspended { suspension.suspend() }
    let handle = RequestHandle<R.Response>(cancellation: entry.signal, suspension: suspension)
    let end = handle.end
    Task {
      let dispatch = Dispatch(request, agent: self, entry: entry, suspension: suspension)
      var ledger = Ledger()
      let outcome = await run(dispatch, &ledger, completion: completion)
      end.set(dispatch.ended(outcome, ledger))
    }
    return handle
  }
}

extension DispatchQueue {
  /// Runs something on the queue, and returns when it has.
  func perform(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { ended in
      async {
        body()
        ended.resume()
      }
    }
  }
}
