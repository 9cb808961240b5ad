struct AttemptStart<R: Request>: Sendable {
  let dispatch: Dispatch<R>

  /// Counts the next attempt, and returns its context and start time.
  @inline(never)
  func begin(
    _ state: inout DispatchState, isAfterFallback: Bool
  ) -> (RequestContext, Duration) {
    state.attempt += 1
    // The first attempt starts with the dispatch, unless there are accessories or the request is serial.
    let isFirst = state.attempt == 1 && dispatch.accessories.isEmpty && state.turn == nil
    // A mock after a failure replaces the server of the failed attempt, so `hasLeftOrigin` is kept.
    return (
      isAfterFallback ? dispatch.context(after: state) : dispatch.context(attempt: state.attempt),
      isFirst ? dispatch.time.started : dispatch.time.now
    )
  }

  @inline(never)
  func attempt(
    _ context: RequestContext, from start: Duration, fallback: MockFallback?, by output: some DispatchOutput,
    on state: inout DispatchState
  ) -> Attempt {
    let attempt = Attempt(context, clock: dispatch.time.attempt(from: start))
    attempt.fallback = fallback
    if let meter = dispatch.meter { begin(attempt, by: meter) }
    attempt.signature.round = state.rounds
    attempt.transferState.wantsFreshConnection = state.wantsFreshConnection
    attempt.transferState.isStreamed = type(of: output).streamsBody
    attempt.answer.destination = output.file
    attempt.transferState.isForFile = attempt.answer.destination != nil
    return attempt
  }

  @inline(never)
  private func begin(_ attempt: Attempt, by meter: TransferMeter) {
    guard !dispatch.accessories.isEmpty else { return meter.begin(attempt: attempt.number) }
    let notifier = ProgressNotifier(
      meter, accessories: dispatch.accessories, context: attempt.context,
      clock: dispatch.agent.configuration.clock)
    attempt.notifier = notifier
    meter.begin(attempt: attempt.number) { notifier.note($0) }
  }
}
