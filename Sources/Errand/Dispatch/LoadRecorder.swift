/// Records the latency of an attempt, and the decision about a second copy of a slow transfer.
struct LoadRecorder<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  private static var overloadStatuses: Set<Int> { [429, 503, 529] }

  /// Gives the latency to the concurrency algorithm of the origin, before the attempt returns its slot.
  ///
  /// Only an attempt with a transfer of its own and without redirects counts. A download counts only after a
  /// timeout or an overload status, because the latency depends on the length of the file.
  @inline(never)
  func recordLatency(of attempt: Attempt, after failure: RequestError?) {
    let state = attempt.transferState
    guard let lease = state.lease, let sent = attempt.clock.sent, state.transferCount > 0,
      !state.leavesOriginStateUnchanged, attempt.hops.redirects.isEmpty, !dispatch.time.isCancelled
    else { return }
    let status = state.serverHeaders == nil ? attempt.answer.response?.status : state.serverStatus
    let isOverload =
      failure?.kind == .timedOut && failure?.stage == .transport
      || status.map { Self.overloadStatuses.contains($0.code) } == true
    guard isOverload || status != nil && failure == nil && !state.isForFile,
      let decision = lease.record(dispatch.time.now - sent, isOverload: isOverload)
    else { return }
    var load = attempt.load?.load ?? AttemptLoad()
    (load.limit, load.limitReason) = (decision.limit, decision.reason)
    attempt.load = AttemptLoadBox(load)
  }

  /// Records the decision about a second copy in the attempt.
  @inline(never)
  func recordHedge(of attempt: Attempt) {
    guard let hedge = (dispatch.wire.transport as? any HedgingTransport)?.takeHedge() else { return }
    var load = attempt.load?.load ?? AttemptLoad()
    load.hedge = hedge
    attempt.load = AttemptLoadBox(load)
    if hedge.copy != nil { attempt.transferState.transferCount += 1 }
  }
}
