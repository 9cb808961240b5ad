public import Foundation

/// The handle of a started dispatch.
///
/// The dispatch survives the handle, unless ``cancelOnRelease()`` was called.
public final class RequestHandle<Value: Sendable>: Sendable {
  enum State: Sendable, Hashable {
    case running
    case suspended
    case succeeded
    case failed
    case cancelled
  }

  typealias Completion = @Sendable (Outcome<Value>) async -> Void

  let end = OneTime<EndedDispatch<Value>>()
  package let cancellation: CancellationSignal
  private let suspension: SuspensionSignal
  private let cancelsOnRelease = Locked(false)
  private let meter: TransferMeter
  private let completion: Locked<Completion?>

  init(
    cancellation: CancellationSignal, suspension: SuspensionSignal, meter: TransferMeter,
    completion: Completion? = nil
  ) {
    self.cancellation = cancellation
    self.suspension = suspension
    self.meter = meter
    self.completion = Locked(completion)
  }

  /// Starts a dispatch in a task.
  ///
  /// The task retains the agent, but not the handle.
  static func begin<R: Request>(
    _ request: R, by agent: RequestAgent, isSuspended: Bool,
    completion: Completion?
  ) -> RequestHandle<R.Response> where R.Response == Value {
    let starting = StartingDispatch(request, by: agent, isSuspended: isSuspended)
    let meter = TransferMeter(agent.configuration.clock)
    let handle = RequestHandle(
      cancellation: starting.entry.signal, suspension: starting.suspension, meter: meter,
      completion: completion)
    let (end, last) = (handle.end, completion.map { _ in call(handle.completion) })
    Task {
      let dispatch = starting.dispatch(meter: meter)
      var state = DispatchState()
      let outcome = await dispatch.run(&state, completion: last)
      meter.end()
      set(end, to: outcome, of: dispatch, on: &state)
    }
    return handle
  }

  // Not inlined, so that the task's frame reserves no memory for the report.
  @inline(never)
  private static func set<R: Request>(
    _ end: OneTime<EndedDispatch<Value>>, to outcome: Outcome<Value>, of dispatch: Dispatch<R>,
    on state: inout DispatchState
  ) {
    end.set(dispatch.ended(outcome, on: state))
  }

  private static func call(_ kept: Locked<Completion?>) -> Completion {
    { outcome in
      let completion: Completion? = kept.withLock { $0.take() }
      if let completion { await completion(outcome) }
    }
  }

  deinit {
    if cancelsOnRelease.withLock({ $0 }) { cancellation.cancel(by: .handle) }
    // Without the handle, no code could resume the dispatch.
    suspension.resume()
  }

  /// Cancels the dispatch.
  public func cancel() { cancellation.cancel(by: .handle) }

  /// Suspends the dispatch until ``resume()`` or the release of the handle.
  ///
  /// The suspension takes effect at the next step of the dispatch. ``Request/deadline`` keeps running.
  public func suspend() { suspension.suspend() }

  /// Resumes a suspended dispatch.
  public func resume() { suspension.resume() }

  /// Sets the handle to cancel the dispatch on release; off by default.
  @discardableResult
  public func cancelOnRelease() -> Self {
    cancelsOnRelease.withLock { $0 = true }
    return self
  }

  /// Drops the completion handler; returns true if the handler was pending.
  @discardableResult
  public func dropCompletion() -> Bool {
    // The handler is released outside the lock, because the release of captures may use the handle.
    completion.withLock { $0.take() } != nil
  }

  /// The outcome of the dispatch; `nil` before the end, and in the completion handler.
  public var outcome: Outcome<Value>? { end.value?.outcome }

  /// True if the dispatch is suspended, even after a cancellation.
  public var isSuspended: Bool { state == .suspended }

  var state: State {
    switch end.value?.outcome {
    case nil: suspension.isSuspended ? .suspended : .running
    case .success: .succeeded
    case .failure: .failed
    case .cancelled: .cancelled
    }
  }

  /// The progress of the transfer, from the present state to the end of the dispatch.
  public var progress: Updates<TransferProgress> { meter.changingProgress.updates }

  /// A closure that waits for the end of the dispatch, without retaining the handle.
  package var waitForEnd: @Sendable () async -> Void {
    let end = end
    return { _ = try? await end.wait() }
  }

  /// Returns a sequence of progress updates.
  ///
  /// The sequence does not retain the handle.
  package func updates<Element: Sendable>(
    running: @escaping @Sendable (TransferProgress) -> Element,
    ended: @escaping @Sendable (Outcome<Value>) -> Element
  ) -> Updates<Element> {
    let end = end
    return meter.changingProgress.updates(
      running, last: { (try? await end.wait()).map { ended($0.outcome) } })
  }

  /// Creates a Foundation `Progress` for a view.
  ///
  /// While the handle exists, the progress can cancel, pause and resume the dispatch.
  public func makeFoundationProgress() -> Progress {
    let (shown, updates, end) = (Progress(totalUnitCount: -1), progress, end)
    shown.isCancellable = true
    shown.isPausable = true
    shown.cancellationHandler = { [weak self] in self?.cancel() }
    shown.pausingHandler = { [weak self] in self?.suspend() }
    shown.resumingHandler = { [weak self] in self?.resume() }
    Task {
      for await progress in updates {
        let total = progress.totalOfBoth.map { max($0, TransferProgress.sum(progress.completedOfBoth, 1)) }
        // A retry may lower the total; the progress would then count as finished.
        if let total, total <= shown.completedUnitCount { shown.completedUnitCount = 0 }
        shown.totalUnitCount = total ?? -1
        shown.completedUnitCount = progress.completedOfBoth
        shown.setUserInfoObject(progress.throughput.map { Int(min($0, 1e15)) }, forKey: .throughputKey)
        let timeLeft = progress.timeLeft.map { $0 / .seconds(1) }
        shown.setUserInfoObject(timeLeft, forKey: .estimatedTimeRemainingKey)
      }
      guard let outcome = try? await end.wait().outcome, case .success = outcome else { return }
      shown.totalUnitCount = max(shown.completedUnitCount, 1)
      shown.completedUnitCount = shown.totalUnitCount
    }
    return shown
  }

  /// The report of the dispatch; `nil` before the end, and in the completion handler.
  public var report: ExchangeReport? { end.value?.report }

  /// Waits for the value; any number of tasks may wait.
  ///
  /// - Throws: ``RequestError``; `CancellationError` if the waiting task is cancelled before the end of the
  ///   dispatch. Cancelling the waiting task does not cancel the dispatch.
  public var value: Value {
    get async throws { try await end.wait().value() }
  }
}
