import Errand

/// A race between an original transfer and a later copy of the transfer.
///
/// The original wins with any response. The copy wins with a status below 400; after a failure of the
/// original, with any status. If one transfer fails while the other transfer runs, the race usually goes on.
/// The loser is cancelled.
final class CopyRace: Sendable {
  typealias Ending = Result<TransportResponse, any Error>

  fileprivate enum Runner { case original, copy }

  private let request: TransportRequest
  private let endpoint: HedgedEndpoint
  private let transfers: HedgedTransfers
  private let hedger: Hedger
  private let started: Duration
  private let signals: [Runner: CancellationSignal] = [
    .original: CancellationSignal(), .copy: CancellationSignal(),
  ]
  private let state = Locked(State())

  init(
    of request: TransportRequest, to endpoint: HedgedEndpoint, over transfers: HedgedTransfers,
    by hedger: Hedger
  ) {
    (self.request, self.endpoint) = (request, endpoint)
    (self.transfers, self.hedger) = (transfers, hedger)
    started = transfers.clock.now()
  }

  private var elapsed: Duration { transfers.clock.now() - started }

  /// Sends the original without a copy; may record the latency.
  func runAlone() async throws -> TransportResponse {
    do {
      let response = try await transfers.transport.send(request)
      record(.success(response), after: elapsed)
      return response
    } catch {
      record(.failure(error), after: elapsed)
      throw error
    }
  }

  /// Sends the original, and may send a copy after the delay; returns the result of the race.
  func run(_ hedge: AttemptLoad.Hedge) async -> (Ending, AttemptLoad.Hedge) {
    let signals = signals
    request.cancellation.onCancel { for signal in signals.values { signal.cancel() } }
    state.withLock { $0.hedge = hedge }
    let delay = hedge.delay ?? .zero
    var timer: AgentClock.PendingCall?
    let ending: Ending = await withCheckedContinuation { continuation in
      state.withLock { $0.continuation = continuation }
      // The continuation is stored first, because a copy without a delay may end at once.
      timer = transfers.clock.call(started + delay) { [self] in startCopy() }
      start(request, as: .original)
    }
    timer?.cancel()
    return (ending, state.withLock(\.hedge))
  }

  private func start(_ request: TransportRequest, as runner: Runner) {
    var request = request
    if let signal = signals[runner] { request.cancellation = signal }
    let transfer = Task { [request, transport = transfers.transport] in
      let ending: Ending
      do {
        ending = .success(try await transport.send(request))
      } catch {
        ending = .failure(error)
      }
      ended(runner, with: ending)
    }
    request.cancellation.onCancel { transfer.cancel() }
  }

  private func startCopy() {
    guard state.withLock({ !$0.isDecided }), !request.cancellation.isCancelled else { return }
    if request.suspension?.isSuspended == true { return refuse("the dispatch is suspended") }
    guard hedger.takeCopy(of: endpoint) else {
      return refuse("the share of copies of \(endpoint.name) is used up")
    }
    switch transfers.admitCopy(of: request) {
    case .refused(let reason):
      hedger.returnCopy(of: endpoint)
      refuse(reason)
    case .admitted(let copy, let end):
      let elapsed = elapsed
      let isLate = state.withLock { state in
        guard !state.isDecided else { return true }
        state.running.insert(.copy)
        state.endSlot = end
        state.hedge.copy = AttemptLoad.Copy(begun: elapsed)
        return false
      }
      guard isLate else { return start(copy, as: .copy) }
      end(false)
      hedger.returnCopy(of: endpoint)
    }
  }

  private func refuse(_ reason: String) {
    state.withLock { state in
      guard !state.isDecided else { return }
      (state.hedge.reason, state.hedge.isRefused) = (reason, true)
    }
  }

  // MARK: End

  private func ended(_ runner: Runner, with ending: Ending) {
    let (time, isCancelled) = (elapsed, request.cancellation.isCancelled)
    let step = state.withLock { $0.end(runner, with: ending, after: time, isCancelled: isCancelled) }
    if step.isMeasured { record(runner == .original ? ending : nil, after: time) }
    if step.isDropped, case .success(let response) = ending { response.body.cancel() }
    if let loser = step.loser { signals[loser]?.cancel() }
    step.endSlot?(true)
    step.continuation?.resume(returning: step.ending)
  }

  /// Records the latency of the original, but not for a status of 429, or of 500 and above.
  ///
  /// Of the failures, only a time-out is recorded. An `ending` of `nil` means that the original is still
  /// running.
  private func record(_ ending: Ending?, after time: Duration) {
    switch ending {
    case nil: break
    case .success(let response):
      let code = response.head.status.code
      if code == 429 || code >= 500 { return }
    case .failure(let error):
      guard (error as? TransportError)?.kind == .timedOut else { return }
    }
    hedger.record(time, of: endpoint)
  }
}

/// The state of a race; guarded by the lock of the race.
private struct State {
  /// The consequences of the end of a transfer, carried out without the lock.
  struct Step {
    var ending: CopyRace.Ending
    var continuation: CheckedContinuation<CopyRace.Ending, Never>?
    /// The transfer to cancel; `nil`: none.
    var loser: CopyRace.Runner?
    var endSlot: (@Sendable (Bool) -> Void)?
    /// True if the time until now may count as the latency of the original.
    var isMeasured = false
    /// True if nobody uses the response.
    var isDropped = false
  }

  var continuation: CheckedContinuation<CopyRace.Ending, Never>?
  var isDecided = false
  var running: Set<CopyRace.Runner> = [.original]
  var hedge = AttemptLoad.Hedge(reason: "")
  /// The failure of the original while the copy runs.
  var failure: (any Error)?
  /// Releases the slot of the copy; called when the first transfer without a use has ended.
  var endSlot: (@Sendable (Bool) -> Void)?

  mutating func end(
    _ runner: CopyRace.Runner, with ending: CopyRace.Ending, after time: Duration, isCancelled: Bool
  ) -> Step {
    running.remove(runner)
    if isDecided { return Step(ending: ending, endSlot: endSlot.take(), isDropped: true) }
    let response = try? ending.get()
    let isUsable = response.map { runner == .original || $0.head.status.code < 400 } ?? false
    guard isUsable || running.isEmpty || isCancelled else {
      hedge.copy?.loserFailure = Self.clause(of: ending)
      if runner == .original, case .failure(let error) = ending { failure = error }
      return Step(
        ending: ending, endSlot: endSlot.take(), isMeasured: runner == .original, isDropped: true)
    }
    isDecided = true
    hedge.copy?.isWinner = runner == .copy && response != nil
    hedge.copy?.decided = time
    var step = Step(ending: ending, continuation: continuation.take(), loser: running.first)
    // The failure of the original says more than the failure of the copy.
    if response == nil, let failure {
      step.ending = .failure(failure)
      hedge.copy?.loserFailure = Self.clause(of: ending)
    }
    step.isMeasured = !isCancelled && (runner == .original || step.loser == .original)
    return step
  }

  private static func clause(of ending: CopyRace.Ending) -> String {
    switch ending {
    case .success(let response): "the status was \(response.head.status.code)"
    case .failure(let error): (error as? TransportError)?.clause ?? "\(type(of: error))"
    }
  }
}
