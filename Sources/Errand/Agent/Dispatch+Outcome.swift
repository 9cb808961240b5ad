extension Dispatch {
  @inline(__always)
  func preprocess(_ outcome: Outcome<R.Response>, _ ledger: Ledger) async {
    let context = context(ledger)
    await request.preprocess(outcome, context: context)
    for hook in agent.hooks { await hook.preprocess(outcome, context: context) }
  }

  /// Lets hooks replace the outcome and fixes it: a cancellation counts until here, never after.
  @inline(__always)
  func filter(_ outcome: Outcome<R.Response>, _ ledger: Ledger) async -> Outcome<R.Response> {
    guard !isCancelled else { return .cancelled }
    let context = context(ledger)
    var outcome = await request.filter(outcome, context: context)
    for hook in agent.hooks where !outcome.isCancelled {
      outcome = await hook.filter(outcome, context: context)
    }
    if case .failure(var error) = outcome {
      // One that a hook made does not know it yet.
      error.belong(to: context.dispatched)
      outcome = .failure(error)
    }
    noticeTask()
    return cancellation.close() ? .cancelled : outcome
  }

  @inline(__always)
  func completed(_ outcome: Outcome<R.Response>, _ ledger: Ledger) async {
    let context = context(ledger)
    await request.completed(outcome, context: context)
    for hook in agent.hooks { await hook.completed(outcome, context: context) }
  }

  @inline(__always)
  func tellWillStart() async {
    for accessory in accessories { await accessory.requestWillStart(context) }
  }

  @inline(__always)
  func tellWillStop(_ ledger: Ledger) async {
    for accessory in accessories { await accessory.requestWillStop(context(ledger)) }
  }

  @inline(__always)
  func tellDidStop(_ report: @autoclosure () -> ExchangeReport, _ ledger: Ledger) async {
    guard !accessories.isEmpty else { return }
    let report = report()
    for accessory in accessories { await accessory.requestDidStop(report, context: context(ledger)) }
  }
}
