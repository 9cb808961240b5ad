public import Foundation

/// A dispatch that was started: cancels and suspends it, tells its state, gives its value.
///
/// The dispatch does not need the handle: drop it, and the dispatch goes on, unless ``cancelOnRelease()`` was asked.
public final class RequestHandle<Value: Sendable>: Sendable {
  /// How far the dispatch is.
  public enum State: Sendable, Hashable {
    /// It has not ended.
    case running
    /// It has not ended, and was asked to rest.
    case suspended
    /// It ended with a value.
    case succeeded
    /// It ended with an error.
    case failed
    /// It ended cancelled.
    case cancelled
  }

  typealias Completion = @Sendable (Outcome<Value>) async -> Void

  let end = OneTime<EndedDispatch<Value>>()
  let cancellation: CancellationSignal
  private let suspension: SuspensionSignal
  private let cancelsOnRelease = Locked(false)
  private let meter: TransferMeter
  /// `nil` where there is none, or none any more.
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

  /// Starts a request in a task of its own, which keeps the agent alive.
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
      end.set(dispatch.ended(outcome, on: state))
    }
    return handle
  }

  /// Calls the handler that is kept, unless it was dropped, and keeps it no longer.
  private static func call(_ kept: Locked<Completion?>) -> Completion {
    { outcome in
      let completion: Completion? = kept.withLock { $0.take() }
      if let completion { await completion(outcome) }
    }
  }

  deinit {
    if cancelsOnRelease.withLock({ $0 }) { cancellation.cancel(by: .handle) }
    // Without the handle nothing else could resume it.
    suspension.resume()
  }

  /// Cancels the dispatch; its outcome is `.cancelled`.
  ///
  /// Does nothing once the outcome is fixed.
  public func cancel() { cancellation.cancel(by: .handle) }

  /// Lets the dispatch rest until ``resume()``: no attempt is sent, and no more of a body is read, so that the server
  /// has to wait.
  ///
  /// In a hook or a wait before a retry it takes effect at the next of these points; nothing that was received is lost.
  /// Timers of progress do not run meanwhile; ``Request/deadline`` and ``TransferLimits/attemptTimeout`` do. A second
  /// call, and one after the end, do nothing. A handle that is dropped lets the dispatch go on.
  public func suspend() { suspension.suspend() }

  /// Lets a suspended dispatch go on; does nothing otherwise.
  public func resume() { suspension.resume() }

  /// Lets the release of the handle cancel the dispatch, as a view does that goes away; off by default.
  ///
  /// - Returns: the handle.
  @discardableResult
  public func cancelOnRelease() -> Self {
    cancelsOnRelease.withLock { $0 = true }
    return self
  }

  /// Lets the dispatch go on without its completion handler, which is released at once with what it captured.
  ///
  /// The server gets the request, and accessories see it end, as ever. One that was called already is not stopped.
  ///
  /// - Returns: whether there was one that had not been called.
  @discardableResult
  public func dropCompletion() -> Bool {
    // Released outside the lock: what it holds may use the handle as it goes.
    completion.withLock { $0.take() } != nil
  }

  /// How far the dispatch is; still `.running` in the completion handler, as accessories come after it.
  public var state: State {
    switch end.value?.outcome {
    case nil: suspension.isSuspended ? .suspended : .running
    case .success: .succeeded
    case .failure: .failed
    case .cancelled: .cancelled
    }
  }

  /// How far its transfer is, as it changes: first what it is now, at last what it was at the end.
  ///
  /// ```swift
  /// for await progress in handle.progress { bar.value = progress.fraction ?? 0 }
  /// ```
  public var progress: Updates<TransferProgress> { meter.updates }

  /// The same as Foundation's `Progress`, to show it in a view or to put it under another one.
  ///
  /// Its units are bytes of both bodies together, and what is not known is indeterminate. It follows the dispatch until its end,
  /// and is finished only where that is a success. Cancelling, pausing and resuming it does so to the dispatch. Each call makes one of its own.
  public func makeFoundationProgress() -> Progress {
    let (shown, updates, end) = (Progress(totalUnitCount: -1), progress, end)
    shown.isCancellable = true
    shown.isPausable = true
    shown.cancellationHandler = { [weak self] in self?.cancel() }
    shown.pausingHandler = { [weak self] in self?.suspend() }
    shown.resumingHandler = { [weak self] in self?.resume() }
    Task {
      for await progress in updates {
        shown.totalUnitCount = progress.totalOfBoth ?? -1
        shown.completedUnitCount = progress.completedOfBoth
        shown.setUserInfoObject(progress.throughput.map { Int(min($0, 1e15)) }, forKey: .throughputKey)
        let timeLeft = progress.timeLeft.map { $0 / .seconds(1) }
        shown.setUserInfoObject(timeLeft, forKey: .estimatedTimeRemainingKey)
      }
      guard case .success = end.value?.outcome else { return }
      shown.totalUnitCount = max(shown.completedUnitCount, 1)
      shown.completedUnitCount = shown.totalUnitCount
    }
    return shown
  }

  /// The account of the dispatch, once it has ended; `nil` before.
  public var report: ExchangeReport? { end.value?.report }

  /// Waits for the value; any number of tasks may.
  ///
  /// - Throws: ``RequestError``, of kind ``RequestError/Kind/cancelled`` when the dispatch was cancelled;
  ///   `CancellationError` when the waiting task was: that ends the wait only, not the dispatch.
  public var value: Value {
    get async throws { try await end.wait().value() }
  }
}
