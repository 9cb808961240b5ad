// The last part of the line, for an outcome whose value is a head and not the request's own.
extension Dispatch {
  /// From `preprocess` to the last event.
  ///
  /// - Parameter isOpen: whether the head was handed out.
  func finish(
    _ outcome: Outcome<HTTPResponse>, _ ledger: Ledger, isOpen: Bool
  ) async -> Ended<HTTPResponse> {
    defer { agent.inFlight.remove(entry) }
    passTurn(ledger)

    let context = context(attempt: ledger.attempt)
    if let own = own(outcome) { await request.preprocess(own, context: context) }
    for hook in agent.hooks { await hook.preprocess(outcome, context: context) }
    await tellWillStop(context)
    let outcome = await filter(outcome, ledger, isOpen: isOpen)
    if let own = own(outcome) { await request.completed(own, context: context) }
    await request.streamed(outcome, context: context)
    for hook in agent.hooks { await hook.completed(outcome, context: context) }
    let report = report(outcome, ledger)
    await tellDidStop(report, context)
    return Ended(
      outcome: outcome, report: report, response: ledger.response, source: cancellation.source,
      dispatched: context.dispatched)
  }

  /// Lets hooks replace the outcome and fixes it: a cancellation counts until here, never after.
  private func filter(
    _ outcome: Outcome<HTTPResponse>, _ ledger: Ledger, isOpen: Bool
  ) async -> Outcome<HTTPResponse> {
    guard !isCancelled else { return .cancelled }
    let context = context(attempt: ledger.attempt)
    var outcome = outcome
    if let own = own(outcome) {
      outcome = outcome.replaced(by: await request.filter(own, context: context), isOpen: isOpen)
    }
    for hook in agent.hooks where !outcome.isCancelled {
      outcome = outcome.replaced(by: await hook.filter(outcome, context: context), isOpen: isOpen)
    }
    outcome = belonging(outcome)
    noticeTask()
    return cancellation.close() ? .cancelled : outcome
  }

  /// The outcome as the request's own hooks know it; `nil` for a success where a head is no value of theirs.
  private func own(_ outcome: Outcome<HTTPResponse>) -> Outcome<R.Response>? {
    switch outcome {
    case .success(let head): (head as? R.Response ?? () as? R.Response).map { .success($0) }
    case .failure(let error): .failure(error)
    case .cancelled: .cancelled
    }
  }
}

extension Outcome<HTTPResponse> {
  /// What a hook made of it: a failure becomes a success only by a response of the hook's, and only while nothing was
  /// handed out, as no hook can bring the missing bytes.
  fileprivate func replaced<Other>(by outcome: Outcome<Other>, isOpen: Bool) -> Outcome<HTTPResponse> {
    switch outcome {
    case .failure(let error): return .failure(error)
    case .cancelled: return .cancelled
    case .success(let value):
      if case .failure = self, isOpen { return self }
      return (value as? HTTPResponse).map { .success($0) } ?? self
    }
  }
}
