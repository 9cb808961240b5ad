/// The time limits of one attempt: ends its transfer, by a signal of its own, when the first of them is reached.
///
/// Made only for a request that has such a limit.
final class AttemptWatch: Sendable {
  /// What the transfer listens to instead of the dispatch's signal; fires with it.
  let signal = CancellationSignal()
  private let clock: AgentClock
  private let end: Duration
  private let breach: Refusal
  private let call: AgentClock.PendingCall
  private let dispatchSignal: CancellationSignal
  private let chain: CancellationSignal.HandlerID

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - end: on the clock.
  ///   - breach: what the attempt fails with then.
  init(clock: AgentClock, until end: Duration, breach: Refusal, within dispatchSignal: CancellationSignal) {
    self.clock = clock
    self.end = end
    self.breach = breach
    self.dispatchSignal = dispatchSignal
    chain = dispatchSignal.onCancel { [signal] in signal.cancel() }
    call = clock.call(end) { [signal] in signal.cancel() }
  }

  /// What the attempt fails with, when its time is up and the dispatch was not cancelled.
  ///
  /// The clock decides too, so that it is the same whether the call came in time or not.
  var expiry: Refusal? { signal.isCancelled || clock.now() >= end ? breach : nil }

  func stop() {
    call.cancel()
    dispatchSignal.removeHandler(chain)
  }
}
